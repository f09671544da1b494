package e2e_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What becomes of an upload is told, whichever way it comes.
func TestWebhookEvents(t *testing.T) {
	t.Parallel()
	r := receiveHooks(t, hookStatus(204))
	s := start(t, "--webhook-url", r.url, "--webhook-secret-file", secretFile(t), "--upload-expiry", "3s")

	for _, w := range ways {
		data := []byte("content of " + w.name)
		name := strings.ReplaceAll(w.name, " ", "-")
		u := w.begin(s, name, len(data))
		u.send(data)
		u.succeed()
		w.beginHalf(s, name+"-cut", make([]byte, mib)).peer.end(cutRST)
	}
	curl(t, "-X", "PUT", "--data-binary", "x", "-H", "Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg==", s.fileURL("wrong")).want(t, 400)
	s.put("PUT", "once more").want(t, 200)
	dropped := s.createTus("dropped", 5)
	s.patch(dropped, 0, []byte("hel")).want(t, 204)
	curl(t, "-X", "DELETE", "-H", tusVersion, s.url(dropped)).want(t, 204)
	part := s.createPart(5)
	s.patch(part, 0, []byte("hello")).want(t, 204)
	s.joinTus("joined", part).want(t, 201)
	interrupted := s.createTus("interrupted", 5) // after its last byte
	s.pretendReceived(interrupted, 5)
	s.tusOffset(interrupted)
	twice := s.createTus("deleted when finished", 1)
	s.patch(twice, 0, []byte("x")).want(t, 204)
	curl(t, "-X", "DELETE", "-H", tusVersion, s.url(twice)).want(t, 204)

	for name, want := range map[string]string{
		"PUT": "created finished created finished", "chunked-PUT": "created finished", "form": "created finished", "tus": "created finished",
		"PUT-cut": "created terminated", "chunked-PUT-cut": "created terminated", "form-cut": "created terminated",
		"tus-cut": "created terminated", // when it expires
		"wrong":   "created terminated", "dropped": "created terminated", "joined": "created finished", "interrupted": "created finished",
		"deleted when finished": "created finished",
	} {
		eventually(t, name+": "+want, func() bool { types, _ := r.about(name); return types == want })
	}
	s.checkTold(r)
	if types, e := r.about(filepath.Base(part)); types != "" {
		t.Errorf("a part was told of: %+v", e)
	}
	eventually(t, "the queue is empty", func() bool { return s.scrape().sum("sluice_webhook_queue_events") == 0 })
	if left, _ := filepath.Glob(s.file(".sluice/hooks/*.json")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
	lint(t, s.metricsText())
}

// checkTold compares the last event of an upload with what else is known of it.
func (s *server) checkTold(r *hookReceiver) {
	s.t.Helper()
	head := curlHead(s.t, s.fileURL("tus")).want(s.t, 200).header
	_, e := r.about("tus")
	if d := e.Data; d.URL != "/files/tus" || d.Size == nil || *d.Size != 14 || d.Digest != head.Get("Repr-Digest") || d.Protocol != "tus" ||
		d.Client != "127.0.0.1" || d.RequestID == "" || len(d.UploadID) != 32 || d.Metadata["filename"] != "tus" {
		s.t.Errorf("finished: %+v, want digest %q", e, head.Get("Repr-Digest"))
	}
	if _, e := r.about("dropped"); e.Data.Received != 3 || *e.Data.Size != 5 || e.Data.URL != "" {
		s.t.Errorf("dropped: %+v", e)
	}
	if _, e := r.about("chunked-PUT-cut"); e.Data.Received == 0 || e.Data.Size != nil || e.Data.Protocol != "put" {
		s.t.Errorf("cut: %+v", e)
	}
}

// A receiver that never answers slows no upload, and the end of the process
// neither loses an event nor changes its id.
func TestWebhookOutlivesKill(t *testing.T) {
	t.Parallel()
	const uploads = 20
	r := receiveHooks(t, never)
	flags := []string{"--webhook-url", r.url, "--webhook-secret-file", secretFile(t), "--webhook-events", "finished", "--webhook-timeout", "1h"}
	s := start(t, flags...)
	want := map[string]bool{}
	for i := range uploads {
		for _, w := range ways {
			data, name := []byte("content"), fmt.Sprintf("%s-%d", strings.ReplaceAll(w.name, " ", "-"), i)
			u := w.begin(s, name, len(data))
			u.send(data)
			u.succeed()
			want[name] = true
		}
	}
	if waiting := s.scrape().sum("sluice_webhook_queue_events"); int(waiting) != len(want) {
		t.Errorf("%.0f events wait, want %d", waiting, len(want))
	}
	eventually(t, "the first is tried", func() bool { return len(r.ids("upload.finished")) == 1 })
	wayPUT.beginHalf(s, "unacknowledged", make([]byte, mib))
	s.kill()

	// As it does when the power is lost, the crash leaves a file that is being written.
	if err := os.WriteFile(filepath.Join(s.root, ".sluice", "hooks", "0.json.tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.answers(hookStatus(200))
	again := startIn(t, s.root, flags...)
	eventually(t, "all are delivered", func() bool { return again.scrape().sum("sluice_webhook_queue_events") == 0 })
	got := r.ids("upload.finished")
	for name, ids := range got {
		if !want[name] || len(ids) != 1 {
			t.Errorf("%s was told with the ids %q", name, ids)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d events were delivered, want %d", len(got), len(want))
	}
	if left, _ := filepath.Glob(again.file(".sluice/hooks/*")); len(left) != 1 { // the folder of failed ones
		t.Errorf("left %q", left)
	}
}

// A receiver that is down keeps neither the server from stopping nor an event
// from being delivered later.
func TestWebhookIsDownAtStop(t *testing.T) {
	t.Parallel()
	r := receiveHooks(t, hookStatus(500))
	flags := []string{"--webhook-url", r.url, "--webhook-secret-file", secretFile(t)}
	s := start(t, flags...)
	s.put("f", "content").want(t, 201)
	eventually(t, "an attempt fails", func() bool {
		return s.scrape().sum("sluice_webhook_deliveries_total", "result=retried") > 0
	})
	s.terminate()
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	r.answers(hookStatus(200))
	startIn(t, s.root, flags...)
	eventually(t, "it is delivered", func() bool {
		types, _ := r.about("f")
		return strings.HasSuffix(types, "created finished")
	})
	if strings.Contains(s.log.String(), webhookSecret) || strings.Contains(s.log.String(), r.url) {
		t.Error("the log tells the secret or the URL")
	}
}

// Without a secret that fits, the server doesn't start.
func TestWebhookSecret(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"missing": "", "malformed": "hunter2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(folder(t), "secret")
			if content != "" {
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			out, err := exec.Command(suite.race, "serve", "--root", newRoot(t), "--listen", "127.0.0.1:0", "--admin-listen", "",
				"--webhook-url", "http://127.0.0.1:1/", "--webhook-secret-file", path).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "webhook-secret-file") || strings.Contains(string(out), "hunter2") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// The receiver that the documentation shows takes what sluice has signed, and
// nothing else.
func TestWebhookReceiverOfTheDocs(t *testing.T) {
	t.Parallel()
	page := string(read(t, "../docs/OPERATIONS.md"))
	_, rest, _ := strings.Cut(page, "```go\n")
	source, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page shows no receiver")
	}
	main := filepath.Join(folder(t), "main.go")
	if err := os.WriteFile(main, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(filepath.Dir(main), "receiver")
	if out, err := exec.Command("go", "build", "-o", binary, main).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(binary, "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "WEBHOOK_SECRET="+webhookSecret)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	line, err := bufio.NewReader(log).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, addr, _ := strings.Cut(strings.TrimSpace(line), "receiving at ")
	url := "http://" + addr + "/events"
	curl(t, "--data-binary", "{}", "-H", "Webhook-Id: msg_1", "-H", "Webhook-Timestamp: 1", "-H", "Webhook-Signature: v1,AAAA", url).want(t, 401)

	s := start(t, "--webhook-url", url, "--webhook-secret-file", secretFile(t))
	s.put("f", "content").want(t, 201)
	lines := bufio.NewScanner(out)
	for _, kind := range []string{"created", "finished"} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), "msg_") || !strings.Contains(lines.Text(), `"type":"upload.`+kind+`"`) {
			t.Errorf("got %q, want %s", lines.Text(), kind)
		}
	}
}
