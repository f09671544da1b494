package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// noRoom is a receiver that wants no upload.
func noRoom(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(w, "no room\r\nfor <you>")
}

// vetoed are the heads that an upload begins with, and what is asked about it.
var vetoed = []struct {
	name, asked, method, path string
	fields                    []string
	size                      int
}{
	{"PUT", "a b/put", "PUT", "/files/a%20b/put", nil, 5 * mib},
	{"tus", "tus", "POST", "/tus/", []string{tusVersion, tusName("tus"), "Upload-Length: 5"}, 0},
	{"tus with content", "tus2", "POST", "/tus/", []string{tusVersion, tusType, tusName("tus2"), fmt.Sprintf("Upload-Length: %d", 5*mib)}, 5 * mib},
	{"tus without a length", "tus3", "POST", "/tus/", []string{tusVersion, tusName("tus3"), "Upload-Defer-Length: 1"}, 0},
}

// A receiver may refuse an upload before any of its content has come, also that
// of a client that waits to be asked, and its reason reaches the client.
func TestVeto(t *testing.T) {
	t.Parallel()
	r, told := receiveHooks(t, noRoom), receiveHooks(t, hookStatus(200))
	s := start(t, "--webhook-veto-url", r.url, "--webhook-url", told.url, "--webhook-secret-file", secretFile(t))
	for _, v := range vetoed {
		for _, expect := range []bool{false, true} {
			fields := append([]string{length(v.size)}, v.fields...)
			if expect {
				fields = append(fields, "Expect: 100-continue")
			}
			reply := dial(t, s).send(requestHead(v.method, v.path, append(fields, "Connection: close")...)).rest()
			if got := reply.statuses(); !slices.Equal(got, []int{403}) || !strings.Contains(string(reply.raw), `"no room for \u003cyou\u003e"`) {
				t.Errorf("%s: got %q, want 403 with the reason", v.name, reply.raw)
			}
		}
		if types, e := r.about(v.asked); types != "creating creating" || e.Data.Client != "127.0.0.1" || e.Data.RequestID == "" {
			t.Errorf("%s: asked %q, last %+v", v.name, types, e)
		}
	}
	// The head of a form names no file. The first part's does.
	p := dial(t, s).send(requestHead("POST", "/files/", formType, length(5*mib), "Expect: 100-continue"))
	if got := p.head().statuses(); !slices.Equal(got, []int{100}) {
		t.Errorf("form: statuses %v, want 100", got)
	}
	if got := p.send(partHead("form") + strings.Repeat("x", 100*kib)).rest(); !slices.Equal(got.statuses(), []int{403}) {
		t.Errorf("form: got %q, want 403", got.raw)
	}
	if stored := s.stored(); len(stored) > 0 {
		t.Errorf("stored %q", stored)
	}
	if n := s.scrape().sum("sluice_webhook_vetoes_total", "decision=denied"); n != 9 {
		t.Errorf("%.0f uploads were denied, want 9", n)
	}
	// What doesn't begin is not told of; what is refused anyway is not asked about.
	curlWith(t, strings.NewReader("x"), "-X", "PUT", "-T", "-", s.fileURL(".sluice")).want(t, 400)
	if n, asked := told.count(), r.count(); n != 0 || asked != 9 {
		t.Errorf("told %d times, asked %d times", n, asked)
	}
}

// A receiver that lets uploads pass is asked once about each.
func TestVetoPasses(t *testing.T) {
	t.Parallel()
	r := receiveHooks(t, hookStatus(204))
	s := start(t, "--webhook-veto-url", r.url, "--webhook-secret-file", secretFile(t))
	for _, w := range ways {
		name := strings.ReplaceAll(w.name, " ", "-")
		u := w.begin(s, name, 1000)
		u.send(make([]byte, 1000))
		u.succeed()
		if types, _ := r.about(name); types != "creating" {
			t.Errorf("%s: asked %q", w.name, types)
		}
	}
}

// Where the receiver decides nothing, the settings do.
func TestVetoFails(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{"silent": never, "broken": hookStatus(500)} {
		for failure, status := range map[string]int{"closed": 503, "open": 201} {
			t.Run(name+" "+failure, func(t *testing.T) {
				t.Parallel()
				r := receiveHooks(t, answer)
				s := start(t, "--webhook-veto-url", r.url, "--webhook-secret-file", secretFile(t),
					"--webhook-veto-timeout", "200ms", "--webhook-veto-failure", failure)
				curlWith(t, strings.NewReader("content"), "-T", "-", s.fileURL("put")).want(t, status)
				curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", s.url("/tus/")).want(t, status)
				if status == 201 {
					status = 200 // of a form
				}
				curl(t, "-F", "file=x;filename=form", s.url("/files/")).want(t, status)
				if n := s.scrape().sum("sluice_webhook_vetoes_total", "decision=unanswered"); n != 3 {
					t.Errorf("%.0f were unanswered, want 3", n)
				}
			})
		}
	}
}
