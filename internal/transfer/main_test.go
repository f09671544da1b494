package transfer_test

import (
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sluice/internal/transfer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is a clock that moves when told to.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock {
	return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.UTC)}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// put is an upload whose details do not matter.
func put() transfer.Spec {
	return transfer.Spec{Direction: transfer.Upload, Protocol: transfer.ProtocolPUT, Total: -1}
}

// countsOf returns the counts of one kind.
func countsOf(t *testing.T, r *transfer.Registry, k transfer.Kind) transfer.Counts {
	t.Helper()
	for _, c := range r.Totals() {
		if c.Kind == k {
			return c
		}
	}
	t.Fatalf("Totals lacks %v", k)
	return transfer.Counts{}
}
