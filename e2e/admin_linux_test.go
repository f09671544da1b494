package e2e_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// While uploads are paused, those that run finish and downloads go on; nothing
// begins, and tus goes on afterwards.
func TestDrain(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("file", "content")
	path := s.createTus("tus", 4)
	s.patch(path, 0, []byte("ab")).want(t, 204)
	running := wayPUT.beginHalf(s, "running", []byte("half"))

	status, text := s.operate(http.MethodPut, "/api/v1/drain")
	if status != 200 || text != `{"draining":true,"uploads":1}` {
		t.Errorf("pause: %d %s", status, text)
	}
	for _, w := range ways {
		if w.name == "tus" {
			continue
		}
		reply := string(w.begin(s, "refused", 4).peer.rest().raw)
		for _, want := range []string{" 503 ", "Retry-After: 5", `"type":"tag:sluice,2026:draining"`} {
			if !strings.Contains(reply, want) {
				t.Errorf("%s got %q, want %q in it", w.name, reply, want)
			}
		}
	}
	s.patch(path, 2, []byte("cd")).wantProblem(t, 503)
	curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 4", s.url("/tus/")).wantProblem(t, 503)
	if offset := s.tusOffset(path); offset != "2" {
		t.Errorf("the upload is at %s, want 2", offset)
	}
	curl(t, s.fileURL("file")).want(t, 200)
	if status, body := s.operator("/readyz"); status != 503 || !strings.Contains(string(body), "paused") {
		t.Errorf("readyz: %d %q", status, body)
	}
	running.succeedWith([]byte("lf"))

	if status, text := s.operate(http.MethodDelete, "/api/v1/drain"); status != 200 || text != `{"draining":false,"uploads":0}` {
		t.Errorf("go on: %d %s", status, text)
	}
	s.patch(path, 2, []byte("cd")).want(t, 204)
	s.put("new", "content")
	if status, _ := s.operator("/readyz"); status != 200 {
		t.Errorf("readyz: %d", status)
	}
	s.missing("refused")
}

// The settings in effect are told with where they came from, and without what
// may be a key.
func TestConfigAPI(t *testing.T) {
	t.Parallel()
	file := newSettingsFile(t, "max-upload-size: 1GB\n")
	s := start(t, "--config", file.path, "--max-transfers", "77", "--webhook-url", "http://127.0.0.1:9/hook?key=SECRET", "--webhook-secret-file", secretFile(t))
	file.write("max-upload-size: 2GB\n")
	s.reload()
	status, text := s.operate(http.MethodGet, "/api/v1/config")
	var list []struct {
		Key, Value, Source, Default string
		Live                        bool
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil || status != 200 {
		t.Fatalf("%d %v: %s", status, err, text)
	}
	got := map[string]string{}
	for _, e := range list {
		got[e.Key] = e.Value + " from " + e.Source
	}
	for key, want := range map[string]string{
		"max-upload-size": "2GB from file " + file.path,
		"max-transfers":   "77 from flag --max-transfers",
		"idle-timeout":    "30s from default",
		"webhook-url":     "http://127.0.0.1:9/hook?*** from flag --webhook-url",
	} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
	if strings.Contains(text, "SECRET") {
		t.Error("a key is told")
	}
}

// The log's level changes at once, until a reload sets it as the settings have it.
func TestLogLevel(t *testing.T) {
	t.Parallel()
	s := start(t)
	if status, text := s.operateWith(http.MethodPut, "/api/v1/log/level", `{"level":"error"}`); status != 200 || !strings.Contains(text, `"error"`) {
		t.Errorf("change: %d %s", status, text)
	}
	s.put("unseen", "content")
	if status, _ := s.operateWith(http.MethodPut, "/api/v1/log/level", `{"level":"loud"}`); status != 400 {
		t.Errorf("a level that there isn't: status %d, want 400", status)
	}
	if _, text := s.operate(http.MethodGet, "/api/v1/log/level"); !strings.Contains(text, `"error"`) {
		t.Errorf("the level is %s", text)
	}
	s.reload()
	s.put("seen", "content")
	eventually(t, "a transfer is logged", func() bool { return strings.Contains(s.log.String(), `"name":"seen"`) })
	if strings.Contains(s.log.String(), `"name":"unseen"`) {
		t.Error("level error logs a transfer")
	}
}

// Pages can neither change anything here nor read it by a name of theirs.
func TestAdminKeepsPagesOut(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, target := range []string{"PUT /api/v1/drain", "DELETE /api/v1/drain", "PUT /api/v1/log/level", "POST /-/reload", "DELETE /api/v1/transfers/x"} {
		method, path, _ := strings.Cut(target, " ")
		if status, _ := s.operate(method, path, "Origin", "https://evil.example"); status != 403 {
			t.Errorf("%s of a page: status %d, want 403", target, status)
		}
	}
	if a := curl(t, "-H", "Host: evil.example", "http://"+s.admin+"/api/v1/transfers"); a.status != 421 {
		t.Errorf("by another name: status %d, want 421", a.status)
	}
}
