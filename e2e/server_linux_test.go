package e2e_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// patience bounds every wait for something that has to happen. It is no
	// measure of speed: on a good day nothing takes a hundredth of it.
	patience = 30 * time.Second
	// pollEvery is how often a state is looked at that nobody announces.
	pollEvery = 20 * time.Millisecond
)

// server is a running sluice with an empty root of its own.
type server struct {
	process
	root     string
	secure   bool   // the public listener speaks HTTPS
	addr     string // of the public listener
	admin    string // address of the admin listener
	directIO bool   // what the server says of its root's file system
	log      *lines
	exited   chan struct{} // closed when the process and its log have ended
	forced   bool          // the test itself ended the process by force
}

// announcement is the log line that says that the server is there.
type announcement struct {
	Msg         string `json:"msg"`
	Listen      string `json:"listen"`
	AdminListen string `json:"admin_listen"`
	DirectIO    bool   `json:"direct_io"`
}

// start runs the binary with the race detector.
func start(t testing.TB, flags ...string) *server {
	t.Helper()
	return startIn(t, newRoot(t), flags...)
}

// startIn is start in a root that may hold files already.
func startIn(t testing.TB, root string, flags ...string) *server {
	t.Helper()
	return launch(t, []string{suite.race}, root, flags...)
}

func newRoot(t testing.TB) string {
	t.Helper()
	return filepath.Join(folder(t), "root")
}

// startShipped runs the binary that is shipped, for tests that measure.
func startShipped(t testing.TB, flags ...string) *server {
	t.Helper()
	return launch(t, []string{suite.shipped}, newRoot(t), flags...)
}

// launch runs command with the flags of a server on free ports and returns
// when it serves. When the test ends the server is stopped and looked over.
func launch(t testing.TB, command []string, root string, flags ...string) *server {
	t.Helper()
	return launchWith(t, func(*exec.Cmd) {}, command, root, flags...)
}

// launchWith is launch of a process that needs more than arguments.
func launchWith(t testing.TB, prepare func(*exec.Cmd), command []string, root string, flags ...string) *server {
	t.Helper()
	if err := noteSources(); err != nil {
		t.Fatal(err)
	}
	s := &server{process: process{t: t}, root: root, log: new(lines), exited: make(chan struct{})}
	args := append(command[1:], "serve", "--root", s.root, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	s.cmd = exec.Command(command[0], append(args, flags...)...)
	// The race detector would sleep for a second at the exit.
	s.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	prepare(s.cmd)
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan announcement, 1)
	go s.follow(stderr, ready)
	t.Cleanup(s.finish)
	select {
	case a := <-ready:
		s.addr, s.admin, s.directIO = a.Listen, a.AdminListen, a.DirectIO
	case <-s.exited:
		t.Fatalf("server did not start:\n%s", s.log)
	case <-time.After(patience):
		t.Fatalf("server is not ready after %s:\n%s", patience, s.log)
	}
	return s
}

// follow keeps the log until its end and then waits for the process.
func (s *server) follow(stderr io.Reader, ready chan<- announcement) {
	defer close(s.exited)
	for scanner := bufio.NewScanner(stderr); scanner.Scan(); {
		s.log.add(scanner.Text())
		var a announcement
		if json.Unmarshal(scanner.Bytes(), &a) == nil && a.Msg == "serving" {
			ready <- a
		}
	}
	_ = s.cmd.Wait() // the exit code is in ProcessState
}

// in is the same server for a subtest, which then owns the failures.
func (s *server) in(t testing.TB) *server {
	sub := *s
	sub.t = t
	return &sub
}

// url is the public address of a path that is already escaped.
func (s *server) url(path string) string {
	if s.secure {
		return "https://" + s.addr + path
	}
	return "http://" + s.addr + path
}

// fileURL is the address of a file.
func (s *server) fileURL(name string) string {
	return s.url((&url.URL{Path: "/files/" + name}).EscapedPath())
}

// terminate asks the server to stop.
func (s *server) terminate() {
	s.t.Helper()
	err := s.cmd.Process.Signal(syscall.SIGTERM)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Error(err)
	}
}

// wait returns the exit code.
func (s *server) wait() int {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(2 * patience):
		_ = s.cmd.Process.Kill()
		<-s.exited
		s.t.Errorf("server did not stop within %s", 2*patience)
	}
	return s.cmd.ProcessState.ExitCode()
}

// finish stops the server and fails the test for whatever it leaves behind.
func (s *server) finish() {
	s.terminate()
	code, left := s.wait(), s.temporary()
	if !s.forced && (code != 0 || len(left) > 0) {
		s.t.Errorf("server ended with exit code %d and left %q, want 0 and nothing", code, left)
	}
	for _, trouble := range []string{"DATA RACE", "panic", "goroutine "} {
		if strings.Contains(s.log.String(), trouble) {
			s.t.Errorf("server logged %q", trouble)
		}
	}
	if s.t.Failed() {
		s.t.Logf("server log:\n%s", s.log)
	}
}

// temporary lists files that must not outlive the request that made them.
func (s *server) temporary() []string {
	var found []string
	for _, pattern := range []string{"*.part", "*.tmp"} {
		matches, err := filepath.Glob(filepath.Join(s.root, ".sluice", "uploads", pattern))
		if err != nil {
			s.t.Error(err)
		}
		found = append(found, matches...)
	}
	return found
}

// file is the place on the disk of a file that the server has stored.
func (s *server) file(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }

// stored lists what stands in the root folder, but for the server's own.
func (s *server) stored() []string {
	s.t.Helper()
	entries, err := os.ReadDir(s.root)
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if entry.Name() != ".sluice" {
			names = append(names, entry.Name())
		}
	}
	return names
}

// missing fails the test when there is anything under the name.
func (s *server) missing(name string) {
	s.t.Helper()
	if _, err := os.Lstat(s.file(name)); !errors.Is(err, os.ErrNotExist) {
		s.t.Errorf("%s is on the disk (%v), want no such file", name, err)
	}
	if a := curl(s.t, s.fileURL(name)); a.status != 404 {
		s.t.Errorf("GET of %s: status %d, want 404", name, a.status)
	}
}

// lines is a log that grows while it is read.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.WriteString(line + "\n")
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// eventually waits until ok reports true.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(pollEvery) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
