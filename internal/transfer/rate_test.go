package transfer_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"sluice/internal/transfer"
)

const (
	span = 3 * time.Second        // the window that a rate is taken over
	slot = 200 * time.Millisecond // its resolution
)

// stream is a transfer driven by a fake clock, with a log of all its bytes.
type stream struct {
	*transfer.Transfer
	registry *transfer.Registry
	clock    *clock
	start    time.Time
	moves    []move
}

type move struct {
	at    time.Time
	bytes int
}

func newStream() *stream {
	c := newClock()
	r := transfer.New(transfer.Options{Now: c.Now})
	return &stream{Transfer: r.Begin(put()), registry: r, clock: c, start: c.Now()}
}

func (s *stream) move(n int) {
	s.Add(n)
	s.moves = append(s.moves, move{s.clock.Now(), n})
}

// run moves n bytes every period, for d.
func (s *stream) run(d, period time.Duration, n int) {
	for ; d >= period; d -= period {
		s.clock.Advance(period)
		s.move(n)
	}
	s.clock.Advance(d)
}

func (s *stream) rate() float64 { return s.registry.Running()[0].Rate }

// movedIn returns the bytes that moved in the last d.
func (s *stream) movedIn(d time.Duration) (sum int) {
	from := s.clock.Now().Add(-d)
	for _, m := range s.moves {
		if m.at.After(from) {
			sum += m.bytes
		}
	}
	return sum
}

func wantWithin(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > share*want {
		t.Errorf("%s: rate = %.0f bytes/s, want %.0f within %.1f %%", what, got, want, 100*share)
	}
}

func TestRateOfSteadyTransfer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		period time.Duration
		bytes  int
		within float64
	}{
		{"1 MiB blocks at 2 GB/s", 500 * time.Microsecond, 1 << 20, 0.002},
		{"packets at 29 KB/s", 50 * time.Millisecond, 1448, 0.05},
		{"longer than a slot", 230 * time.Millisecond, 64 << 10, 0.1},
	}
	ages := []time.Duration{
		230 * time.Millisecond, 500 * time.Millisecond, time.Second, 2900 * time.Millisecond,
		span, span + slot/2, span + slot, 7 * time.Second,
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, age := range ages {
				s := newStream()
				s.run(age/tt.period*tt.period, tt.period, tt.bytes)
				wantWithin(t, age.String(), s.rate(), float64(tt.bytes)/tt.period.Seconds(), tt.within)
			}
		})
	}
}

func TestRateFollowsAChange(t *testing.T) {
	t.Parallel()
	s := newStream()
	s.run(10*time.Second, 10*time.Millisecond, 1_000_000)
	wantWithin(t, "before", s.rate(), 100e6, 0.1)
	s.run(span/2, 10*time.Millisecond, 100_000)
	wantWithin(t, "half a span after", s.rate(), 55e6, 0.1)
	s.run(span/2+slot, 10*time.Millisecond, 100_000)
	wantWithin(t, "a span after", s.rate(), 10e6, 0.1)
}

func TestRateOfBursts(t *testing.T) {
	t.Parallel()
	s := newStream()
	for range 5 {
		s.run(time.Second, 10*time.Millisecond, 3_000_000)
		wantWithin(t, "after a burst", s.rate(), s.truth(), 0.1)
		s.clock.Advance(2 * time.Second)
		wantWithin(t, "after a pause", s.rate(), s.truth(), 0.1)
	}
}

// truth is the rate that the log of moves gives.
func (s *stream) truth() float64 {
	age := min(s.clock.Now().Sub(s.start), span)
	return float64(s.movedIn(age)) / age.Seconds()
}

func TestRateOfStalledTransferFallsToZero(t *testing.T) {
	t.Parallel()
	s := newStream()
	s.run(5*time.Second, 7*time.Millisecond, 1_000_000)
	last := s.rate()
	for stalled := time.Duration(0); stalled < span; stalled += slot {
		s.clock.Advance(slot)
		now := s.rate()
		if now >= last {
			t.Fatalf("%v into the stall: rate = %.0f after %.0f, want less", stalled+slot, now, last)
		}
		last = now
	}
	s.clock.Advance(slot)
	if got := s.rate(); got != 0 {
		t.Errorf("rate after the stall filled the window = %v, want 0", got)
	}
}

func TestRateAfterRestart(t *testing.T) {
	t.Parallel()
	s := newStream()
	s.run(5*time.Second, 10*time.Millisecond, 2_000_000)
	s.clock.Advance(time.Minute)
	s.run(span/2, 10*time.Millisecond, 1_000_000)
	wantWithin(t, "half a span after the restart", s.rate(), 50e6, 0.1)
	s.run(span/2, 10*time.Millisecond, 1_000_000)
	wantWithin(t, "a span after the restart", s.rate(), 100e6, 0.1)
}

// Whatever moves when: the rate lies between what the log gives for a window a
// slot shorter and one a slot longer, and is never NaN, infinite or negative.
func TestRateAgainstLog(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 0))
		s := newStream()
		for range 300 {
			s.clock.Advance(randomPause(random))
			if random.IntN(4) > 0 {
				s.move(1 + random.IntN(1<<20))
			}
			checkAgainstLog(t, s)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// randomPause is mostly short, at times longer than the window.
func randomPause(random *rand.Rand) time.Duration {
	limit := []time.Duration{time.Millisecond, slot / 4, slot, 3 * slot, 2 * span}[random.IntN(5)]
	return time.Duration(random.Int64N(int64(limit)))
}

func checkAgainstLog(t *testing.T, s *stream) {
	t.Helper()
	got, age := s.rate(), s.clock.Now().Sub(s.start)
	if age < span {
		if want := float64(s.Bytes()) / max(age.Seconds(), 1e-9); math.Abs(got-want) > 1e-6*want {
			t.Errorf("at %v: rate = %v, want the mean %v", age, got, want)
		}
		return
	}
	least := float64(s.movedIn(span-slot)) / span.Seconds()
	most := float64(s.movedIn(span+slot)) / span.Seconds()
	if !(got >= least-1e-6 && got <= most+1e-6) {
		t.Errorf("at %v: rate = %v, want %v to %v", age, got, least, most)
	}
}

func TestRateWithoutElapsedTime(t *testing.T) {
	t.Parallel()
	s := newStream()
	s.Add(1 << 20)
	got := s.registry.Running()[0]
	if got.Rate != 0 || got.MeanRate != 0 {
		t.Errorf("rates at the first instant = %v and %v, want 0", got.Rate, got.MeanRate)
	}
}

func TestRateWithClockSteppingBack(t *testing.T) {
	t.Parallel()
	s := newStream()
	s.run(5*time.Second, 10*time.Millisecond, 1_000_000)
	s.clock.Advance(-time.Second)
	wantWithin(t, "a second back", s.rate(), 100e6, 0.1)
	s.clock.Advance(-time.Minute)
	s.Add(1)
	got := s.registry.Running()[0]
	if got.Elapsed != 0 || got.MeanRate != 0 {
		t.Errorf("before the start: elapsed %v, mean rate %v, want 0", got.Elapsed, got.MeanRate)
	}
}
