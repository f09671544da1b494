//go:build !race

package transfer_test

import (
	"testing"
	"time"

	"sluice/internal/transfer"
)

func TestAddAllocatesNothing(t *testing.T) {
	c := newClock()
	tr := transfer.New(transfer.Options{Now: c.Now}).Begin(put())
	allocs := testing.AllocsPerRun(1000, func() {
		c.Advance(70 * time.Millisecond) // every third call begins a slot
		tr.Add(1 << 20)
	})
	if allocs != 0 {
		t.Errorf("Add allocates %v times a call, want 0", allocs)
	}
}
