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
	if free := newBandwidth(0, 0).forOne(); free != nil || free.most(1<<20) != 1<<20 {
		t.Error("without a bound there is a throttle")
	}
	plain := bytes.NewReader(nil)
	if newBandwidth(0, 0).forOne().at(t.Context(), plain) != io.Reader(plain) {
		t.Error("without a bound something stands before the stream")
	}
	// The burst is a twentieth of a second of the narrower bound.
	bound := newBandwidth(2000, 1000).forOne()
	if most := bound.most(1 << 20); most != 50 {
		t.Errorf("at most %d bytes in one step, want 50", most)
	}
	content := bytes.Repeat([]byte("x"), 120)
	got, err := io.ReadAll(bound.at(t.Context(), bytes.NewReader(content)))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := io.ReadAll(bound.at(ended, bytes.NewReader(content))); !errors.Is(err, context.Canceled) {
		t.Errorf("read after the end = %v", err)
	}
}

func TestCrowd(t *testing.T) {
	t.Parallel()
	c := newCrowd(3, 2)
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
	for _, client := range []string{"a", "b", "c"} {
		c.leave(client)
	}
	if c.running != 0 || len(c.clients) != 0 {
		t.Errorf("%d are still running, of %v", c.running, c.clients)
	}
}
