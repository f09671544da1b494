package handlers

import (
	"errors"
	"io"
	"testing"
)

// A feed tells at once, then only what has changed, and ends with its listener
// or the server. Its place is free again when it is closed.
func TestFeed(t *testing.T) {
	t.Parallel()
	stop, gone := make(chan struct{}), make(chan struct{})
	h := &Handlers{opts: Options{Stopping: stop}, listeners: make(chan struct{}, 1)}
	data := []string{`{"n":1}`, `{"n":1}`, `{"n":2}`}
	f, err := h.newFeed("things", func() ([]byte, error) {
		next := data[0]
		data = data[1:]
		return []byte(next), nil
	}, gone)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.newFeed("things", nil, nil); !errors.Is(err, errListeners) {
		t.Errorf("one too many: %v", err)
	}
	p := make([]byte, 7) // less than an event
	for _, want := range []string{"event: things\ndata: {\"n\":1}\n\n", ":\n\n", "event: things\ndata: {\"n\":2}\n\n"} {
		got := ""
		for len(got) < len(want) {
			n, err := f.Read(p)
			if err != nil {
				t.Fatal(err)
			}
			got += string(p[:n])
		}
		if got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	close(gone)
	if _, err := f.Read(p); err != io.EOF {
		t.Errorf("after the listener has left: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	close(stop)
	last, err := h.newFeed("things", func() ([]byte, error) { return nil, nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := last.Read(p); err != nil {
		t.Errorf("the first event of a server that stops: %v", err)
	}
	last.pending = nil
	if _, err := last.Read(p); err != io.EOF {
		t.Errorf("while the server stops: %v", err)
	}
}
