package e2e_test

import (
	"io"
	"sync"
	"testing"
	"time"
)

// tick is how often a pacer writes.
const tick = 20 * time.Millisecond

// pacer writes at a steady rate, and knows what it has written when.
type pacer struct {
	rate int // bytes per second
	mu   sync.Mutex
	past []moment
}

// moment is how many bytes had been written by a time.
type moment struct {
	at    time.Time
	bytes float64
}

// run writes size bytes of src to dst, or as many until stop is closed.
func (p *pacer) run(dst io.Writer, src io.Reader, size int, stop <-chan struct{}) error {
	began := time.Now()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	p.note(began, 0)
	for sent := 0; sent < size; {
		select {
		case <-stop:
			return nil
		case <-ticker.C:
		}
		due := min(size, int(time.Since(began).Seconds()*float64(p.rate)))
		n, err := io.CopyN(dst, src, int64(due-sent))
		sent += int(n)
		p.note(time.Now(), sent)
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *pacer) note(at time.Time, bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.past = append(p.past, moment{at, float64(bytes)})
}

// measured is the rate, in bytes per second, at which was written in the span
// before now; ok is false unless the writing began margin before that span.
func (p *pacer) measured(now time.Time, span, margin time.Duration) (rate float64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := now.Add(-span)
	if len(p.past) == 0 || from.Add(-margin).Before(p.past[0].at) {
		return 0, false
	}
	return (p.writtenBy(now) - p.writtenBy(from)) / span.Seconds(), true
}

// writtenBy is how much had been written by a time, with even steps between
// the moments noted.
func (p *pacer) writtenBy(at time.Time) float64 {
	for i := len(p.past) - 1; i >= 0; i-- {
		this := p.past[i]
		if this.at.After(at) {
			continue
		}
		if i == len(p.past)-1 {
			return this.bytes
		}
		next := p.past[i+1]
		share := float64(at.Sub(this.at)) / float64(next.at.Sub(this.at))
		return this.bytes + share*(next.bytes-this.bytes)
	}
	return 0
}

func TestPacer(t *testing.T) {
	t.Parallel()
	began := time.Now()
	second := func(n float64) time.Time { return began.Add(time.Duration(n * float64(time.Second))) }
	p := &pacer{past: []moment{{second(0), 0}, {second(1), 100}, {second(2), 400}}}
	for _, test := range []struct {
		name         string
		now          float64
		span, margin time.Duration
		want         float64
		ok           bool
	}{
		{"whole past", 2, 2 * time.Second, 0, 200, true},
		{"between moments", 1.5, time.Second, 0, 200, true},
		{"with a margin", 2, time.Second, time.Second, 300, true},
		{"after the last moment", 3, time.Second, 0, 0, true},
		{"too long", 2, 3 * time.Second, 0, 0, false},
		{"too long with its margin", 2, time.Second, 2 * time.Second, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := p.measured(second(test.now), test.span, test.margin)
			if got != test.want || ok != test.ok {
				t.Errorf("got %v, %v; want %v, %v", got, ok, test.want, test.ok)
			}
		})
	}
}
