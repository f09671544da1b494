package hooks_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/internal/hooks"
)

// Events arrive in their order, signed, with all that is known, and leave
// nothing behind.
func TestDelivery(t *testing.T) {
	t.Parallel()
	r := receive(t, status(http.StatusNoContent))
	b := newBench(t, r.URL)
	w := b.open()
	w.Start()
	w.Tell(hooks.Created, hooks.Upload{Protocol: "tus", Name: "a", Size: hooks.UnknownSize, Metadata: map[string]string{"k": "ü\n"}})
	for i := range 20 {
		w.Tell(hooks.Finished, named(fmt.Sprint(i)))
	}
	got := r.want(21)
	if first := got[0]; first.Type != "upload.created" || first.Data.Size != nil || first.Data.Metadata["k"] != "ü\n" {
		t.Errorf("got %+v", first)
	}
	for i, m := range got[1:] {
		if m.Type != "upload.finished" || m.name() != fmt.Sprint(i) || *m.Data.Size != 1 {
			t.Errorf("message %d is %+v", i, m)
		}
	}
	w.Close(patience)
	if left := b.files("*.json"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
	want := hooks.Stats{Deliveries: map[hooks.Delivery]int64{
		{Type: hooks.Created, Result: hooks.Delivered}: 1, {Type: hooks.Finished, Result: hooks.Delivered}: 20,
	}}
	if got := w.Stats(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("stats %v, want %v", got, want)
	}
}

// What isn't a success is tried again, under the same id and with nothing
// overtaking it.
func TestRetry(t *testing.T) {
	t.Parallel()
	elsewhere := receive(t, status(http.StatusOK))
	for name, fail := range map[string]http.HandlerFunc{
		"503": status(http.StatusServiceUnavailable),
		"404": status(http.StatusNotFound),
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
		"cut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			r := receive(t, func(w http.ResponseWriter, r *http.Request) {
				if calls.Add(1) <= 3 {
					fail(w, r)
				}
			})
			b := newBench(t, r.URL)
			w := b.open()
			w.Tell(hooks.Finished, named("first"))
			w.Tell(hooks.Finished, named("second"))
			w.Start()
			defer w.Close(patience)
			got := r.want(5)
			for i, m := range got[:4] {
				if m.name() != "first" || m.id != got[0].id {
					t.Errorf("message %d is %+v, want the first event", i, m)
				}
			}
			if got[4].name() != "second" || got[4].id == got[0].id {
				t.Errorf("the last message is %+v", got[4])
			}
			if err := b.reported(hooks.Retried).Err; err == nil || strings.Contains(err.Error(), "127.0.0.1") && name != "cut" {
				t.Errorf("reported %v, want a reason without the URL", err)
			}
		})
	}
	if got := elsewhere.all(); len(got) > 0 {
		t.Errorf("a redirect was followed: %v", got)
	}
}

// A receiver that doesn't answer in time is asked again.
func TestTimeout(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	r := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			<-r.Context().Done()
		}
	})
	b := newBench(t, r.URL)
	b.opts.Timeout = 300 * time.Millisecond
	w := b.open()
	w.Tell(hooks.Finished, named("f"))
	w.Start()
	defer w.Close(patience)
	if got := r.want(2); got[0].id != got[1].id {
		t.Errorf("ids %q and %q", got[0].id, got[1].id)
	}
	b.reported(hooks.Delivered)
}

// The answer's content is not waited for beyond its beginning.
func TestEndlessAnswer(t *testing.T) {
	t.Parallel()
	r := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := io.WriteString(w, strings.Repeat("x", 1000)); err != nil {
				return
			}
		}
	})
	b := newBench(t, r.URL)
	w := b.open()
	w.Tell(hooks.Finished, named("f"))
	w.Start()
	defer w.Close(patience)
	b.reported(hooks.Delivered)
}

// A receiver that is gone wants the event no more.
func TestGone(t *testing.T) {
	t.Parallel()
	r := receive(t, status(http.StatusGone))
	b := newBench(t, r.URL)
	w := b.open()
	w.Tell(hooks.Finished, named("f"))
	w.Start()
	defer w.Close(patience)
	b.reported(hooks.Gone)
	if left := b.files("*.json"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// What a run has not delivered, the next one does, before its own and in order.
// What was being written is forgotten.
func TestRestart(t *testing.T) {
	t.Parallel()
	r := receive(t, status(http.StatusOK))
	b := newBench(t, r.URL)
	for run := range 3 {
		w := b.open()
		for i := range 3 {
			w.Tell(hooks.Finished, named(fmt.Sprint(run, i)))
		}
		w.Close(0)
	}
	if err := os.WriteFile(filepath.Join(b.root, ".sluice", "hooks", "notes"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := b.open()
	w.Tell(hooks.Finished, named("last"))
	w.Start()
	defer w.Close(patience)
	var got []string
	for _, m := range r.want(10) {
		got = append(got, m.name())
	}
	want := []string{"0 0", "0 1", "0 2", "1 0", "1 1", "1 2", "2 0", "2 1", "2 2", "last"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A full queue refuses what is new, keeps what is there, and has room again
// when that is gone. Nobody who tells waits.
func TestFullQueue(t *testing.T) {
	t.Parallel()
	for name, bound := range map[string]func(*hooks.Options){
		"events": func(o *hooks.Options) { o.MaxEvents = 3 },
		"bytes":  func(o *hooks.Options) { o.MaxBytes = 600 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receive(t, status(http.StatusOK))
			b := newBench(t, r.URL)
			bound(&b.opts)
			w := b.open()
			for i := range 10 {
				w.Tell(hooks.Finished, named(fmt.Sprint(i)))
			}
			if got := b.files("*.json"); len(got) != 3 {
				t.Errorf("%d files, want 3", len(got))
			}
			stats := w.Stats()
			if n := stats.Deliveries[hooks.Delivery{Type: hooks.Finished, Result: hooks.Refused}]; n != 7 || stats.Events != 3 {
				t.Errorf("stats %v, want 3 events and 7 refused", stats)
			}
			b.reported(hooks.Refused)
			w.Start()
			r.want(3)
			for range 3 {
				b.reported(hooks.Delivered)
			}
			w.Tell(hooks.Finished, named("again"))
			if got := r.want(1); got[3].name() != "again" {
				t.Errorf("got %+v", got[3])
			}
			w.Close(patience)
			if s := w.Stats(); s.Events != 0 || s.Bytes != 0 {
				t.Errorf("stats %v, want an empty queue", s)
			}
		})
	}
}

// full is a folder on a disk without space.
type full struct{ hooks.Folder }

func (full) Write(string, []byte, bool) error { return errors.New("no space") }

func TestDiskFull(t *testing.T) {
	t.Parallel()
	b := newBench(t, "http://127.0.0.1:1")
	b.opts.Queue = full{b.opts.Queue}
	w := b.open()
	w.Tell(hooks.Finished, named("f"))
	b.reported(hooks.Refused)
	if s := w.Stats(); s.Events != 0 || s.Bytes != 0 {
		t.Errorf("stats %v, want an empty queue", s)
	}
	w.Close(0)
}

// A file that is no event is set aside, and holds nothing up.
func TestDamagedEvent(t *testing.T) {
	t.Parallel()
	r := receive(t, status(http.StatusOK))
	b := newBench(t, r.URL)
	w := b.open()
	for _, name := range []string{"empty", "cut", "other", "whole"} {
		w.Tell(hooks.Finished, named(name))
	}
	w.Close(0)
	damage := []string{"", `{"id":"msg_1","type":"upload.fin`, `{"id":"msg_1","type":"upload.other","timestamp":"2026-01-01T00:00:00Z"}`}
	for i, file := range b.files("*.json")[:3] {
		if err := os.WriteFile(file, []byte(damage[i]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w = b.open()
	w.Start()
	defer w.Close(patience)
	if got := r.want(1); got[0].name() != "whole" {
		t.Errorf("got %+v", got)
	}
	b.reported(hooks.Damaged)
	if aside := b.files("failed/*.json"); len(aside) != 3 {
		t.Errorf("%d files are set aside, want 3", len(aside))
	}
}

// An event that is too old is tried once more and then set aside. Of those only
// the latest are kept.
func TestExpiry(t *testing.T) {
	t.Parallel()
	r := receive(t, status(http.StatusInternalServerError))
	b := newBench(t, r.URL)
	b.opts.MaxAge = time.Nanosecond
	for i := range hooks.MaxFailed {
		name := fmt.Sprintf("%016x.json", i)
		if err := os.WriteFile(filepath.Join(b.root, ".sluice", "hooks", "failed", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := b.open()
	w.Tell(hooks.Finished, named("a"))
	w.Tell(hooks.Finished, named("b"))
	w.Start()
	defer w.Close(patience)
	b.reported(hooks.Expired)
	b.reported(hooks.Expired)
	if got := r.all(); len(got) != 2 || got[0].name() != "a" || got[1].name() != "b" {
		t.Errorf("got %+v, want each once", got)
	}
	aside := b.files("failed/*.json")
	if len(aside) != hooks.MaxFailed || filepath.Base(aside[0]) != fmt.Sprintf("%016x.json", 2) {
		t.Errorf("%d files are set aside, the first is %s", len(aside), aside[0])
	}
	if left := b.files("*.json"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// A stop waits neither for a receiver that is silent nor for one that is down,
// and what they haven't taken is kept.
func TestStop(t *testing.T) {
	t.Parallel()
	silent := receive(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	down := receive(t, status(http.StatusServiceUnavailable))
	for name, r := range map[string]*receiver{"silent": silent, "down": down} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, r.URL)
			b.opts.FirstPause, b.opts.LongestPause = time.Hour, time.Hour
			w := b.open()
			w.Tell(hooks.Finished, named("f"))
			w.Start()
			r.want(1)
			drain := time.Hour
			if r == silent {
				drain = time.Millisecond
			}
			w.Close(drain)
			if left := b.files("*.json"); len(left) != 1 {
				t.Errorf("left %q, want one", left)
			}
		})
	}
}

// What isn't to be told costs nothing.
func TestChosenEvents(t *testing.T) {
	t.Parallel()
	b := newBench(t, "http://127.0.0.1:1")
	b.opts.Events = []hooks.Type{hooks.Terminated}
	w := b.open()
	for _, kind := range hooks.Types() {
		w.Tell(kind, named("f"))
	}
	if got := b.files("*.json"); len(got) != 1 {
		t.Errorf("%d files, want 1", len(got))
	}
	w.Close(0)
}

// Many may tell at a time: each event arrives, in the order of whoever told it.
func TestManyTell(t *testing.T) {
	t.Parallel()
	const tellers, each = 20, 10
	r := receive(t, status(http.StatusOK))
	b := newBench(t, r.URL)
	w := b.open()
	w.Start()
	var all sync.WaitGroup
	for i := range tellers {
		all.Go(func() {
			for j := range each {
				w.Tell(hooks.Finished, named(fmt.Sprint(i, "/", j)))
			}
		})
	}
	all.Wait()
	next := map[string]int{}
	for _, m := range r.want(tellers * each) {
		who, what, _ := strings.Cut(m.name(), "/")
		if strings.TrimSpace(what) != fmt.Sprint(next[who]) {
			t.Errorf("got %q, want number %d", m.name(), next[who])
		}
		next[who]++
	}
	w.Close(patience)
}

func TestParseSecret(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		secretText:                               true,
		" " + secretText + "\r\n":                true,
		"whsec_" + strings.Repeat("AAAA", 8):     true,
		"whsec_" + strings.Repeat("AAAA", 7):     false, // 21 bytes
		"whsec_" + strings.Repeat("AAAA", 22):    false, // 66 bytes
		strings.TrimPrefix(secretText, "whsec_"): false,
		"whsec_!":                                false,
		"":                                       false,
	} {
		s, err := hooks.ParseSecret(text)
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil && len(text) > 8 && strings.Contains(err.Error(), text[8:]) {
			t.Errorf("the error tells the secret: %v", err)
		}
		if shown := fmt.Sprintf("%v %+v %#v", s, s, s); strings.Contains(shown, "[") {
			t.Errorf("a secret prints as %s", shown)
		}
	}
}
