package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
)

// sluiceServer is a running sluice with a root of its own.
type sluiceServer struct {
	binary        string
	public, admin string // addresses
}

// startSluice builds and runs the server with everything that panels show: a
// webhook, a quota, limits; and so slow that transfers run while they are looked at.
func startSluice(t *testing.T) *sluiceServer {
	t.Helper()
	dir := t.TempDir()
	s := &sluiceServer{binary: filepath.Join(dir, "sluice")}
	build := exec.Command("go", "build", "-o", s.binary, "./cmd/sluice")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(receiver.Close)
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(s.binary, "serve", "--root", filepath.Join(dir, "root"),
		"--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
		"--transfer-rate", "5MB", "--quota", "10GB", "--max-connections", "1000",
		"--webhook-url", receiver.URL, "--webhook-veto-url", receiver.URL, "--webhook-secret-file", secret)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	run(t, cmd)
	s.awaitAnnouncement(t, bufio.NewScanner(stderr))
	return s
}

// awaitAnnouncement reads the log up to the line that says that the server is
// there, and what follows it too, so that the server can go on writing.
func (s *sluiceServer) awaitAnnouncement(t *testing.T, log *bufio.Scanner) {
	t.Helper()
	var seen strings.Builder
	for log.Scan() {
		var line struct {
			Msg         string `json:"msg"`
			Listen      string `json:"listen"`
			AdminListen string `json:"admin_listen"`
		}
		if json.Unmarshal(log.Bytes(), &line) == nil && line.Msg == "serving" {
			s.public, s.admin = line.Listen, line.AdminListen
			go func() {
				for log.Scan() {
				}
			}()
			return
		}
		seen.WriteString(log.Text() + "\n")
	}
	t.Fatalf("the server did not start:\n%s", &seen)
}

// load keeps the server busy until the test ends.
func (s *sluiceServer) load(t *testing.T) {
	t.Helper()
	run(t, exec.Command(s.binary, "load", "mixed", "--no-progress", "--url", s.url("/files/"), "--tus-url", s.url("/tus/"),
		"--weights", "put=3,form=2,tus=2,get=3", "--size", "list:100KB=40,2MB=30,10MB=30", "--chunk", "4MB", "--streams", "8",
		"--repeat", "1", "--duration", "10m"))
	done := make(chan struct{})
	var asking sync.WaitGroup
	t.Cleanup(func() { close(done); asking.Wait() })
	asking.Go(func() { s.askForNothing(done) })
}

// askForNothing makes requests that are refused.
func (s *sluiceServer) askForNothing(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
		}
		if response, err := http.Get(s.url("/files/none")); err == nil {
			response.Body.Close()
		}
	}
}

func (s *sluiceServer) url(path string) string { return "http://" + s.public + path }

// prometheusServer is a running Prometheus.
type prometheusServer struct{ api v1.API }

// startPrometheus runs Debian's Prometheus with the configuration of this
// repository, but every second.
func startPrometheus(t *testing.T, target string) *prometheusServer {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"prometheus.yml", "rules.yml", "alerts.yml"} {
		text, err := os.ReadFile(rulesFolder + name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), strings.ReplaceAll(string(text), "_interval: 15s", "_interval: 1s"))
	}
	write(t, filepath.Join(dir, "targets.yml"), fmt.Sprintf("- targets: [%q]\n", target))
	address := freeAddress(t)
	run(t, exec.Command("prometheus", "--config.file", filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address, "--log.level", "error"))
	getOK(t.Context(), t, "http://"+address+"/-/ready")
	client, err := api.NewClient(api.Config{Address: "http://" + address})
	if err != nil {
		t.Fatal(err)
	}
	return &prometheusServer{v1.NewAPI(client)}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// freeAddress is one that nobody listens on just now: Prometheus 2 doesn't tell
// which one it has got.
func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// run starts a process that is stopped when the test ends. What it says is told
// if the test fails.
func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout = &said
	if cmd.Stderr == nil {
		cmd.Stderr = &said
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = cmd.Wait()                          // by that signal
		if t.Failed() {
			t.Logf("%s said:\n%s", cmd, &said)
		}
	})
}
