package transfer

import (
	"sync/atomic"
	"time"
)

const (
	slotWidth   = 200 * time.Millisecond
	windowSlots = 15
	windowSpan  = windowSlots * slotWidth
)

// window remembers the last windowSpan of a transfer, cut into slots counted
// from its start. Both ends of the span then move smoothly with the clock: the
// newer one is the byte count itself, the older one lies between two marks.
type window struct {
	// marks[k%len(marks)] is the number of bytes moved before slot k began.
	marks [windowSlots + 1]int64
	// newest is the highest slot with a mark. It is written under the
	// transfer's lock and read without it.
	newest atomic.Int64
}

func slotOf(age time.Duration) int64 { return int64(age / slotWidth) }

// advance marks all slots up to slot, in the last of which the first bytes
// since the newest mark arrive. before is the number of bytes moved until then.
func (w *window) advance(slot, before int64) {
	newest := w.newest.Load()
	if slot <= newest {
		return
	}
	for k := max(newest+1, slot-windowSlots); k <= slot; k++ {
		w.marks[k%int64(len(w.marks))] = before
	}
	w.newest.Store(slot)
}

// before returns the number of bytes moved before slot k began, for a slot of
// the span; total is the number moved by now.
func (w *window) before(k, total int64) int64 {
	if k > w.newest.Load() {
		return total
	}
	return w.marks[k%int64(len(w.marks))]
}

// rate returns the bytes per second over the span that ends at age, or since
// the start where the transfer is younger than that.
func (w *window) rate(age time.Duration, total int64) float64 {
	// A clock that steps back must not ask for marks that are overwritten.
	age = max(age, time.Duration(w.newest.Load())*slotWidth)
	if age < windowSpan {
		return meanRate(total, age)
	}
	first := slotOf(age) - windowSlots
	from, to := w.before(first, total), w.before(first+1, total)
	into := float64(age%slotWidth) / float64(slotWidth)
	moved := float64(total-from) - into*float64(to-from)
	return moved / windowSpan.Seconds()
}

// meanRate returns bytes per second, 0 where no time has passed.
func meanRate(bytes int64, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return float64(bytes) / elapsed.Seconds()
}
