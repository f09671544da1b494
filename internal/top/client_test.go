package top

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

func clientOf(t *testing.T, handler http.HandlerFunc) Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL + "/below")
	if err != nil {
		t.Fatal(err)
	}
	return Client{URL: base, Token: "secret"}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/below/api/v1/transfers/stream" || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("asked for %s with %v", r.URL, r.Header)
		}
		fmt.Fprint(w, ":\n\nevent: transfers\ndata: {\"running\":[{\"name\":\"a\"}],\"more\":1}\n\n:\n\nevent: transfers\ndata: {\"running\":[]}\n\n")
	})
	var seen []List
	if err := c.Follow(t.Context(), func(l List) { seen = append(seen, l) }); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2 || seen[0].Running[0].Name != "a" || seen[0].More != 1 || len(seen[1].Running) != 0 {
		t.Errorf("seen %+v", seen)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		if r.Method == http.MethodDelete {
			fmt.Fprint(w, `{"detail":"The credential is good, but not for this."}`)
		}
	})
	if err := c.Stop(t.Context(), "a/b"); err == nil || err.Error() != "403 Forbidden: The credential is good, but not for this." {
		t.Errorf("stop: %v", err)
	}
	if _, err := c.List(t.Context()); err == nil || err.Error() != "403 Forbidden" {
		t.Errorf("list: %v", err)
	}
}

// The view begins, shows what comes, and leaves nothing when its user leaves.
func TestRun(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "data: {\"running\":[{\"name\":\"shown\"}]}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out := &screenWriter{wanted: "shown", found: make(chan struct{})}
	in := &lateKeys{after: out.found, keys: strings.NewReader("q")}
	if err := run(ctx, c, tea.WithInput(in), tea.WithOutput(out), tea.WithWindowSize(100, 10), tea.WithoutSignals()); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Error("it didn't end by its key")
	}
	select {
	case <-left:
	case <-ctx.Done():
		t.Error("the stream is still open")
	}
}

// screenWriter waits for a text.
type screenWriter struct {
	text   strings.Builder
	wanted string
	found  chan struct{}
	done   bool
}

func (w *screenWriter) Write(p []byte) (int, error) {
	w.text.Write(p)
	if !w.done && strings.Contains(w.text.String(), w.wanted) {
		w.done = true
		close(w.found)
	}
	return len(p), nil
}

// lateKeys are pressed once something has happened.
type lateKeys struct {
	after chan struct{}
	keys  *strings.Reader
}

func (k *lateKeys) Read(p []byte) (int, error) {
	<-k.after
	return k.keys.Read(p)
}
