package handlers

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

func TestPulse(t *testing.T) {
	t.Parallel()
	type beat struct {
		bytes int
		took  time.Duration
	}
	for _, test := range []struct {
		name    string
		minRate int64
		beats   []beat
		want    error
	}{
		{"no bound", 0, []beat{{0, time.Hour}}, nil},
		{"fast enough", 100, []beat{{500, 5 * time.Second}, {500, 5 * time.Second}}, nil},
		{"too slow", 100, []beat{{500, 5 * time.Second}, {499, 5 * time.Second}}, errSlow},
		{"not for long enough to say", 100, []beat{{0, 9 * time.Second}}, nil},
		{"a burst doesn't count for later", 100, []beat{{1 << 20, 10 * time.Second}, {1, 10 * time.Second}}, errSlow},
		{"a slow start is forgotten with its time", 100, []beat{{1000, 10 * time.Second}, {1000, 10 * time.Second}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := pulse{patience: patience{idle: 10 * time.Second, minRate: test.minRate}}
			var err error
			for _, b := range test.beats {
				if err = p.beat(b.bytes, b.took); err != nil {
					break
				}
			}
			if !errors.Is(err, test.want) {
				t.Errorf("beat = %v, want %v", err, test.want)
			}
		})
	}
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	var b bandwidth
	free := b.forOne(nil)
	if most := free.most(1 << 20); most != 1<<20 {
		t.Errorf("at most %d bytes in one step without a bound", most)
	}
	// The burst is a twentieth of a second of the narrower bound.
	b.limit(2000, 1000)
	bound := b.forOne(nil)
	if most := bound.most(1 << 20); most != 50 {
		t.Errorf("at most %d bytes in one step, want 50", most)
	}
	// The rate of all holds for what runs already, whatever its step was.
	if most := free.most(1 << 20); most != 100 {
		t.Errorf("at most %d bytes in one step of what ran before, want 100", most)
	}
	if err := free.wait(t.Context(), 250); err != nil {
		t.Errorf("a step of more than the burst: %v", err)
	}
	content := bytes.Repeat([]byte("x"), 120)
	got, err := io.ReadAll(throttled{t.Context(), bytes.NewReader(content), bound})
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := io.ReadAll(throttled{ended, bytes.NewReader(content), bound}); !errors.Is(err, context.Canceled) {
		t.Errorf("read after the end = %v", err)
	}
}

func TestCrowd(t *testing.T) {
	t.Parallel()
	c := newCrowd()
	c.resize(3, 2)
	join := func(client string, want error) {
		t.Helper()
		if err := c.check(client); !errors.Is(err, want) {
			t.Errorf("check of %s = %v, want %v", client, err, want)
		}
		if err := c.join(client); !errors.Is(err, want) {
			t.Errorf("join of %s = %v, want %v", client, err, want)
		}
	}
	join("a", nil)
	join("a", nil)
	join("a", errCrowded) // its own bound
	join("b", nil)
	join("c", errCrowded) // everybody's bound
	c.leave("a")
	join("c", nil)
	c.resize(2, 0)
	join("d", errCrowded) // there are more than may be, and none has left
	c.resize(0, 2)
	join("a", nil)
	join("a", errCrowded)
	c.leave("a")
	for _, client := range []string{"a", "b", "c"} {
		c.leave(client)
	}
	if c.running != 0 || len(c.clients) != 0 {
		t.Errorf("%d are still running, of %v", c.running, c.clients)
	}
}
