package e2e_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sluice runs the program itself, as a command that ends.
func sluice(t testing.TB, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), suite.race, args...).CombinedOutput()
	return string(out), err
}

func TestTopOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	u := wayPUT.begin(s, "watched", 4)
	u.send([]byte("ab"))
	s.received("put", 2)
	for _, addr := range []string{s.addr, s.admin} {
		out, err := sluice(t, "top", "--once", "--url", "http://"+addr)
		if err != nil || !regexp.MustCompile(`(?m)^ID .* NAME\n[0-9a-f]{16}  upload +put +receiving +2 +4 .* watched$`).MatchString(out) {
			t.Errorf("%v: %s", err, out)
		}
	}
	u.succeedWith([]byte("cd"))
	if out, err := sluice(t, "top", "--url", "http://127.0.0.1:1"); err == nil {
		t.Errorf("without a server it prints %q", out)
	}
	if out, err := sluice(t, "top", "--url", "127.0.0.1:1"); err == nil || !strings.Contains(out, "--url must be") {
		t.Errorf("with a bad URL it prints %q, %v", out, err)
	}
}

// In a terminal the view follows a transfer, and stops it after asking.
func TestTopInTerminal(t *testing.T) {
	t.Parallel()
	s := start(t)
	u := wayPUT.begin(s, "watched", 4)
	u.send([]byte("ab"))
	s.received("put", 2)

	out := filepath.Join(folder(t), "out")
	command := "stty cols 100 rows 20; exec " + suite.race + " top --url http://" + s.admin
	cmd := toolCommand(t, "script", "-qfec", command, out)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "SHELL=/bin/sh", "GORACE=atexit_sleep_ms=0")
	keys, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = io.Discard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	shows := func(text string) {
		t.Helper()
		eventually(t, "the terminal shows "+text, func() bool {
			screen, _ := os.ReadFile(out)
			return strings.Contains(string(screen), text)
		})
	}
	press := func(key string) {
		t.Helper()
		if _, err := io.WriteString(keys, key); err != nil {
			t.Fatal(err)
		}
	}
	shows("watched")
	press("x")
	shows("y/n")
	press("y")
	if reply := u.peer.rest(); len(reply.statuses()) != 1 || reply.statuses()[0] != 403 {
		t.Errorf("the upload got %v, want 403", reply.statuses())
	}
	press("q")
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	if screen := string(read(t, out)); strings.Contains(screen, "DATA RACE") || !strings.Contains(screen, "\x1b[?1049l") {
		t.Errorf("the terminal is left as\n%q", screen)
	}
}
