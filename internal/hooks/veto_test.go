package hooks_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/internal/hooks"
)

func veto(t *testing.T, url string, change func(*hooks.VetoOptions)) *hooks.Veto {
	t.Helper()
	o := hooks.VetoOptions{URL: url, Secret: secret(t), Timeout: patience, Concurrent: 4}
	change(&o)
	v := hooks.NewVeto(o)
	t.Cleanup(v.Close)
	return v
}

func strict(*hooks.VetoOptions) {}
func open(o *hooks.VetoOptions) { o.FailOpen = true }

// The status decides, and a plain text may say why.
func TestVeto(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		status int
		kind   string
		body   string
		change func(*hooks.VetoOptions)
		want   error
		reason string
	}{
		{"yes", 200, "", "", strict, nil, ""},
		{"yes without content", 204, "", "", strict, nil, ""},
		{"no", 403, "", "", strict, hooks.ErrDenied, ""},
		{"no, whatever fails", 404, "", "", open, hooks.ErrDenied, ""},
		{"reason", 403, "text/plain; charset=utf-8", " no\r\nroom \x00\u202efor\xffyou ", strict, hooks.ErrDenied, "no room for?you"},
		{"long reason", 403, "text/plain", strings.Repeat("ä", 300), strict, hooks.ErrDenied, strings.Repeat("ä", 100)},
		{"long reason, cut in a rune", 403, "text/plain", "x" + strings.Repeat("ä", 300), strict, hooks.ErrDenied, "x" + strings.Repeat("ä", 99)},
		{"page", 403, "text/html", "<p>no</p>", strict, hooks.ErrDenied, ""},
		{"fault", 500, "text/plain", "stack", strict, hooks.ErrUndecided, ""},
		{"fault, failing open", 500, "", "", open, nil, ""},
		{"redirect", 307, "", "", strict, hooks.ErrUndecided, ""},
		{"too many", 429, "", "", strict, hooks.ErrUndecided, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := receive(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.kind)
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			})
			err := veto(t, r.URL, test.change).Ask(t.Context(), named("f"))
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if denied, ok := errors.AsType[*hooks.DeniedError](err); ok && denied.Reason != test.reason {
				t.Errorf("reason %q, want %q", denied.Reason, test.reason)
			}
			if got := r.all(); len(got) != 1 || got[0].Type != "upload.creating" || got[0].name() != "f" {
				t.Errorf("asked %+v", got)
			}
		})
	}
}

// A receiver that closes a connection which it has kept has not decided
// anything: it is asked on another one.
func TestVetoOnClosedConnection(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			served.Go(func() { answerOnce(conn) })
		}
	})
	v := veto(t, "http://"+listener.Addr().String(), strict)
	for range 3 {
		if err := v.Ask(t.Context(), named("f")); err != nil {
			t.Error(err)
		}
	}
	v.Close()
	listener.Close()
	served.Wait()
}

// answerOnce answers one request and closes the connection when it has read the
// next.
func answerOnce(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for i := range 2 {
		request, err := http.ReadRequest(r)
		if err != nil {
			return // the client has closed it
		}
		_, _ = io.Copy(io.Discard, request.Body)
		if i == 0 {
			_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		}
	}
}

// Nobody waits longer than the timeout, be it for an answer or for a turn.
func TestVetoTimeout(t *testing.T) {
	t.Parallel()
	var running, most atomic.Int32
	r := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer running.Add(-1)
		<-r.Context().Done()
	})
	for name, change := range map[string]func(*hooks.VetoOptions){"closed": strict, "open": open} {
		v := veto(t, r.URL, func(o *hooks.VetoOptions) {
			change(o)
			o.Timeout, o.Concurrent = 300*time.Millisecond, 1
		})
		answers := make(chan error, 5)
		for range cap(answers) {
			go func() { answers <- v.Ask(t.Context(), named("f")) }()
		}
		for range cap(answers) {
			err := <-answers
			if want := map[string]error{"closed": hooks.ErrUndecided}[name]; !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", name, err, want)
			}
			if err != nil && strings.Contains(err.Error(), r.URL) {
				t.Errorf("the error tells the URL: %v", err)
			}
		}
		if got := v.Decisions()[hooks.Unanswered]; got != 5 {
			t.Errorf("%s: %d unanswered, want 5", name, got)
		}
	}
	if n := most.Load(); n > 2 {
		t.Errorf("asked %d at a time", n)
	}
}
