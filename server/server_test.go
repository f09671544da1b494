package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap/zaptest"

	"sluice/config"
	"sluice/server"
)

// leakPatience is longer than what fasthttp and tusd keep on purpose: the sleep
// of the worker pool's cleaner and the afterlife of a tus request.
const leakPatience = 20 * time.Second

func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		code = checkLeaks()
	}
	os.Exit(code)
}

func checkLeaks() int {
	for deadline := time.Now().Add(leakPatience); ; {
		// fasthttp's clock for the Date field runs as long as the process.
		err := goleak.Find(goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"))
		switch {
		case err == nil:
			return 0
		case time.Now().After(deadline):
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
}

// running is a server in this process.
type running struct {
	*server.Server
	root string
	stop func() // waits for the end
}

// start runs a server with settings like SLUICE_MAX_UPLOAD_SIZE=1000.
func start(t *testing.T, environ ...string) *running {
	t.Helper()
	root := t.TempDir()
	cfg, err := config.Load(nil, append(environ,
		"SLUICE_LISTEN=127.0.0.1:0", "SLUICE_ADMIN_LISTEN=127.0.0.1:0", "SLUICE_ROOT="+root))
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Options{Config: cfg, Log: zaptest.NewLogger(t), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	r := &running{Server: s, root: root}
	stopped := false
	r.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	}
	t.Cleanup(r.stop)
	return r
}

func (r *running) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// exchange sends raw bytes on a connection of its own and returns all that
// comes back until the server closes it.
func (r *running) exchange(t *testing.T, request string) string {
	t.Helper()
	c := r.dial(t)
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func (r *running) do(t *testing.T, method, path string, body io.Reader, head ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+r.Addr().String()+path, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(head); i += 2 {
		req.Header.Set(head[i], head[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// Every failure is a problem with the request's id, whoever found it.
func TestProblems(t *testing.T) {
	t.Parallel()
	s := start(t)
	if err := os.Mkdir(filepath.Join(s.root, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/nowhere", 404},
		{"GET", "/files/none", 404},
		{"PUT", "/files/", 400},
		{"PUT", "/files/folder", 409},
		{"PUT", "/files/a%00b", 400},
		{"PUT", "/files/%zz", 400},
		{"PUT", "/files/.sluice/uploads/x", 400},
		{"PATCH", "/files/f", 405},
		{"POST", "/files/", 415},
		{"BREW", "/files/f", 501},
		{"DELETE", "/files/", 403},
		{"POST", "/tus/", 412},
		{"PATCH", "/tus/" + strings.Repeat("0", 32), 412},
		{"GET", "/tus/" + strings.Repeat("0", 32), 404},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			t.Parallel()
			c := s.dial(t)
			fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", test.method, test.path)
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			var p struct {
				Status    int
				Title     string
				RequestID string `json:"request_id"`
			}
			if err := json.NewDecoder(resp.Body).Decode(&p); err != nil {
				t.Fatalf("%d isn't a problem: %v", resp.StatusCode, err)
			}
			if resp.StatusCode != test.status || p.Status != test.status || p.Title == "" ||
				resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("status %d, %+v, %v; want %d", resp.StatusCode, p, resp.Header, test.status)
			}
			if id := resp.Header.Get("X-Request-Id"); id == "" || id != p.RequestID {
				t.Errorf("request id %q in the head, %q in the problem", id, p.RequestID)
			}
		})
	}
}

func TestMalformedHeads(t *testing.T) {
	t.Parallel()
	s := start(t, "SLUICE_MAX_HEADER_SIZE=4KiB")
	for name, test := range map[string]struct{ request, status string }{
		"not HTTP":   {"hello\r\n\r\n", "400"},
		"large head": {"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 8<<10) + "\r\n\r\n", "431"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := s.exchange(t, test.request)
			if !strings.HasPrefix(answer, "HTTP/1.1 "+test.status) || !strings.Contains(answer, `"request_id"`) {
				t.Errorf("answer %q", answer)
			}
		})
	}
}

// What the head decides is answered in place of the 100 Continue, and the
// route's own check decides it.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	s := start(t, "SLUICE_MAX_UPLOAD_SIZE=1000")
	head := func(path string, length int) string {
		return fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", path, length)
	}
	for name, test := range map[string]struct{ request, status string }{
		"too large":  {head("/files/f", 1001), "413"},
		"bad name":   {head("/files/%2e%2e", 5), "400"},
		"no route":   {head("/nowhere", 5), "404"},
		"bad method": {strings.Replace(head("/files/f", 5), "PUT", "PATCH", 1), "405"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if answer := s.exchange(t, test.request); !strings.HasPrefix(answer, "HTTP/1.1 "+test.status) || strings.Count(answer, "HTTP/1.1 ") != 1 {
				t.Errorf("answer %q", answer)
			}
		})
	}
	t.Run("accepted", func(t *testing.T) {
		t.Parallel()
		c := s.dial(t)
		answers := bufio.NewReader(c)
		io.WriteString(c, head("/files/ok", 5))
		if line, err := answers.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
			t.Fatalf("before the body: %q, %v", line, err)
		}
		io.WriteString(c, "hello")
		answers.ReadString('\n')
		resp, err := http.ReadResponse(answers, nil)
		if err != nil || resp.StatusCode != http.StatusCreated {
			t.Fatalf("after the body: %v, %v", resp, err)
		}
		resp.Body.Close()
		if got, err := os.ReadFile(filepath.Join(s.root, "ok")); err != nil || string(got) != "hello" {
			t.Errorf("stored %q, %v", got, err)
		}
	})
}

// A refusal reaches a client that is still sending, and what it sends is never
// taken for another request.
func TestRefusalArrives(t *testing.T) {
	t.Parallel()
	s := start(t, "SLUICE_MAX_UPLOAD_SIZE=1000")
	body := bytes.Repeat([]byte("GET /files/SMUGGLED HTTP/1.1\r\nHost: x\r\n\r\n"), 500_000)
	for range 10 {
		answer := s.exchange(t, fmt.Sprintf("PUT /files/f HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		if !strings.HasPrefix(answer, "HTTP/1.1 413 ") || strings.Count(answer, "HTTP/1.1 ") != 1 {
			t.Fatalf("answer %.300q", answer)
		}
	}
}

// tus requests leave nothing behind: the leak check of TestMain sees what does.
func TestTusLeavesNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 20 {
		created := s.do(t, "POST", "/tus/", nil, "Tus-Resumable", "1.0.0", "Upload-Length", "5")
		location := created.Header.Get("Location")
		if created.StatusCode != http.StatusCreated || !strings.HasPrefix(location, "/tus/") {
			t.Fatalf("create: %d, Location %q", created.StatusCode, location)
		}
		done := s.do(t, "PATCH", location, strings.NewReader("hello"), "Tus-Resumable", "1.0.0",
			"Upload-Offset", "0", "Content-Type", "application/offset+octet-stream")
		if done.StatusCode != http.StatusNoContent || done.Header.Get("Upload-Offset") != "5" {
			t.Fatalf("patch: %d, %v", done.StatusCode, done.Header)
		}
		file := s.do(t, "GET", done.Header.Get("Content-Location"), nil)
		if got, err := io.ReadAll(file.Body); err != nil || string(got) != "hello" {
			t.Fatalf("file: %q, %v", got, err)
		}
	}
}

// Readiness ends with the stop, and the listeners are free again.
func TestStop(t *testing.T) {
	t.Parallel()
	s := start(t)
	idle := s.dial(t) // a connection that never asks anything doesn't delay it
	defer idle.Close()
	resp, err := http.Get("http://" + s.AdminAddr().String() + "/readyz")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("ready: %v, %v", resp, err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	s.stop()
	for _, addr := range []net.Addr{s.Addr(), s.AdminAddr()} {
		ln, err := net.Listen("tcp", addr.String())
		if err != nil {
			t.Errorf("%s isn't free: %v", addr, err)
			continue
		}
		ln.Close()
	}
}
