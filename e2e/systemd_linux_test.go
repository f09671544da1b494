package e2e_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// activated starts the server as systemd does with sockets that are its own:
// from descriptor 3 on, and with its own process id in the environment.
func activated(t *testing.T, root string, names string, sockets ...*os.File) *server {
	t.Helper()
	command := []string{"/bin/sh", "-c", `LISTEN_PID=$$ exec "$@"`, "sh", suite.race}
	return launchWith(t, func(cmd *exec.Cmd) {
		cmd.ExtraFiles = sockets
		cmd.Env = append(cmd.Env, fmt.Sprintf("LISTEN_FDS=%d", len(sockets)), "LISTEN_FDNAMES="+names)
	}, command, root)
}

// socket listens, and is open for the whole test.
func socket(t *testing.T) (file *os.File, addr string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	if file, err = listener.(*net.TCPListener).File(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file, listener.Addr().String()
}

// With sockets of systemd's the server listens there, and a restart refuses
// nobody: who comes meanwhile waits.
func TestSocketActivation(t *testing.T) {
	t.Parallel()
	public, publicAddr := socket(t)
	admin, adminAddr := socket(t)
	root := newRoot(t)
	s := activated(t, root, "sluice.socket:admin", public, admin)
	if s.addr != publicAddr || s.admin != adminAddr {
		t.Fatalf("the server listens on %s and %s, want %s and %s", s.addr, s.admin, publicAddr, adminAddr)
	}
	s.put("first", "content")
	if status, _ := s.operator("/readyz"); status != 200 {
		t.Errorf("readyz: status %d", status)
	}
	s.terminate()
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	waiting := dial(t, s).send(requestHead("PUT", "/files/second", length(5), "Connection: close"), "hello")
	again := activated(t, root, "sluice.socket:admin", public, admin)
	if reply := waiting.rest(); !reply.success() {
		t.Errorf("who came meanwhile got %q", reply.raw)
	}
	if got := string(read(t, again.file("second"))); got != "hello" {
		t.Errorf("stored %q", got)
	}
}

// A service of Type=notify-reload tells when it is ready, reloads and stops.
func TestNotify(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	s := launchWith(t, func(cmd *exec.Cmd) {
		cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+path)
	}, []string{suite.race}, newRoot(t))
	if got := notification(t, manager); got != "READY=1" {
		t.Errorf("the first notification is %q, want READY=1", got)
	}
	s.hangup()
	if got := notification(t, manager); !regexp.MustCompile(`^RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]*$`).MatchString(got) {
		t.Errorf("a reload begins with %q", got)
	}
	if got := notification(t, manager); got != "READY=1" {
		t.Errorf("a reload ends with %q, want READY=1", got)
	}
	s.put("f", "content")
	u := wayPUT.begin(s, "slow", 2)
	u.send([]byte("x"))
	s.received("put", len("content")+1)
	s.terminate()
	if got := notification(t, manager); got != "STOPPING=1" {
		t.Errorf("the last notification is %q, want STOPPING=1", got)
	}
	if status, _ := s.operator("/readyz"); status != 503 {
		t.Errorf("readyz while the server stops: status %d, want 503", status)
	}
	u.succeedWith([]byte("y"))
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

func notification(t *testing.T, manager *net.UnixConn) string {
	t.Helper()
	if err := manager.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, kib)
	n, err := manager.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text[:n]))
}
