package e2e_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// hangup asks the server to reload.
func (s *server) hangup() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		s.t.Error(err)
	}
}

// reload asks the operators' listener for it.
func (s *server) reload(fields ...string) (status int, text string) {
	s.t.Helper()
	return s.operate(http.MethodPost, "/-/reload", fields...)
}

// operate sends a request to the operators' listener.
func (s *server) operate(method, path string, fields ...string) (status int, text string) {
	s.t.Helper()
	return s.operateWith(method, path, "", fields...)
}

// operateWith is operate with a body.
func (s *server) operateWith(method, path, body string, fields ...string) (status int, text string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.admin+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(got)
}

// settingsFile is a file of settings that a test writes anew.
type settingsFile struct {
	t    testing.TB
	path string
}

func newSettingsFile(t testing.TB, text string) settingsFile {
	t.Helper()
	f := settingsFile{t, filepath.Join(folder(t), "sluice.yaml")}
	f.write(text)
	return f
}

func (f settingsFile) write(text string) {
	f.t.Helper()
	if err := os.WriteFile(f.path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// tooLarge tells whether the server refuses a file of so many bytes.
func (s *server) tooLarge(size int) bool {
	s.t.Helper()
	return curlWith(s.t, strings.NewReader(strings.Repeat("x", size)), "-T", "-", s.fileURL("probe")).want(s.t, 200, 201, 413).status == 413
}

// A reload puts new limits into effect, and what runs goes on under the old
// ones. What is wrong in any part of it changes nothing at all.
func TestReload(t *testing.T) {
	t.Parallel()
	file := newSettingsFile(t, "max-upload-size: 1000\n")
	s := start(t, "--config", file.path)
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			s := s.in(t)
			file.write("max-upload-size: 1000\n")
			s.reload()
			running := w.beginHalf(s, "running", make([]byte, 500))
			file.write("max-upload-size: 100\nlog-level: debug\nmax-header-size: 64KiB\n")
			status, text := s.reload()
			if status != 200 || !strings.Contains(text, "applied: max-upload-size\n") || !strings.Contains(text, "needs a restart: max-header-size\n") {
				t.Errorf("reload: %d %q", status, text)
			}
			if !s.tooLarge(101) || s.tooLarge(100) {
				t.Error("the new limit doesn't hold")
			}
			running.succeedWith(make([]byte, 250))
		})
	}
	eventually(t, "a line of the level debug", func() bool { return strings.Contains(s.log.String(), `"needs_restart":["max-header-size"]`) })

	for name, bad := range map[string]struct{ text, reason string }{
		"not YAML":            {"max-upload-size: [", "sluice.yaml"},
		"beyond a limit":      {"max-upload-size: 5000\nmin-rate: -1\n", "min-rate: -1 must be"},
		"unknown":             {"max-upload-size: 5000\nmax-upload: 1\n", "max-upload: unknown setting"},
		"refused by one part": {"max-upload-size: 5000\nquota: 1GB\n", "first quota needs a restart"},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			file.write(bad.text)
			if status, text := s.reload(); status != 500 || !strings.Contains(text, bad.reason) {
				t.Errorf("reload: %d %q, want 500 and %q", status, text, bad.reason)
			}
			if !s.tooLarge(101) {
				t.Error("a part of what was refused is in effect")
			}
			if s.scrape().sum("sluice_config_last_reload_successful") != 0 {
				t.Error("the metrics don't tell")
			}
		})
	}
	file.write("max-upload-size: 200\n")
	s.hangup()
	eventually(t, "the signal has been followed", func() bool { return !s.tooLarge(101) })
	if s.scrape().sum("sluice_config_last_reload_successful") != 1 {
		t.Error("the metrics don't tell of the success")
	}
	if strings.Count(s.log.String(), "settings not reloaded, nothing has changed") != 4 {
		t.Error("the log doesn't tell of each refusal")
	}
}

// No page can make an operator's browser reload.
func TestReloadOfForeignOrigin(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, fields := range [][]string{{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}} {
		if status, _ := s.reload(fields...); status != 403 {
			t.Errorf("%v: status %d, want 403", fields, status)
		}
	}
}
