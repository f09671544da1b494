package server

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// lowMark is how many bytes of a fast body wake who reads it. Clients write 16
	// to 64 KiB at a time, and waking for each costs more than copying them.
	lowMark = 512 << 10
	// fastBytes of a body within fastTime make it a fast one.
	fastBytes = 1 << 20
	fastTime  = 50 * time.Millisecond
	// gatherTime is how long bytes may lie in the kernel before they are read,
	// however few they are: the client may be waiting, or slow all of a sudden.
	gatherTime = 100 * time.Millisecond
)

// lowWater makes the kernel gather the bytes of a fast body before it wakes who
// reads them: the receive low-water mark, SO_RCVLOWAT of socket(7). Slow ones are
// read as they come.
type lowWater struct {
	socket *net.TCPConn
	// counting is what makes a body fast, and belongs to the reading goroutine.
	counting struct {
		within time.Duration
		since  time.Time
		bytes  int
	}
	raised atomic.Bool
	mu     sync.Mutex // held while the mark is changed
	late   *time.Timer
}

// before is called before a read of a body of which left bytes are still to come;
// 0 between bodies. What comes after a body must wake its reader at once.
func (w *lowWater) before(left int64) {
	switch {
	case left < 2*lowMark:
		w.counting.bytes = 0
		w.lower()
	case w.raised.Load():
		w.late.Reset(gatherTime)
	case w.counting.bytes == 0:
		w.counting.since = time.Now()
	}
}

// after is told what the read has brought.
func (w *lowWater) after(left int64, n int) {
	if w.late != nil {
		w.late.Stop()
	}
	if left < 2*lowMark || w.raised.Load() {
		return
	}
	w.counting.bytes += n
	if w.counting.bytes < fastBytes {
		return
	}
	w.counting.bytes = 0
	if time.Since(w.counting.since) < w.counting.within {
		w.raise()
	}
}

func (w *lowWater) raise() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.late == nil {
		w.late = time.AfterFunc(time.Hour, w.lower)
		w.late.Stop()
	}
	w.raised.Store(setLowMark(w.socket, lowMark) == nil)
}

// lower has bytes read as they come. A read that waits with fewer than the mark
// is woken for those.
func (w *lowWater) lower() {
	if !w.raised.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if setLowMark(w.socket, 1) == nil {
		w.raised.Store(false)
	}
}
