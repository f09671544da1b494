package handlers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"golang.org/x/time/rate"
)

// errSlow: the client moves bytes, but fewer than it has to.
var errSlow = errors.New("transfer too slow")

// patience is how long a client is waited for.
type patience struct {
	// idle ends a transfer that moves no byte for this long.
	idle time.Duration
	// minRate ends one that moves fewer bytes per second over as long; 0 is no
	// bound.
	minRate int64
}

// pulse watches the rate of one transfer. Only time in which the server waits
// for the client counts, so its own pace never makes a client too slow.
type pulse struct {
	patience
	waited time.Duration
	bytes  int64
}

// beat notes that n bytes have taken so long. It fails with errSlow.
func (p *pulse) beat(n int, took time.Duration) error {
	if p.minRate == 0 {
		return nil
	}
	p.waited += took
	p.bytes += int64(n)
	if p.waited < p.idle {
		return nil
	}
	if reached := float64(p.bytes) / p.waited.Seconds(); reached < float64(p.minRate) {
		return fmt.Errorf("%w: %.0f bytes per second", errSlow, reached)
	}
	p.waited, p.bytes = 0, 0
	return nil
}

// bandwidth bounds the rate of transfers in one direction.
type bandwidth struct {
	total *rate.Limiter // shared by all; nil for no bound
	each  int64         // bytes per second of one transfer; 0 for no bound
}

func newBandwidth(total, each int64) bandwidth {
	return bandwidth{limiter(total), each}
}

// burstShare is the part of a second that may go at once: enough to cost
// little, and too little to be seen.
const burstShare = 20

// limiter allows bytesPerSecond; nil for 0.
func limiter(bytesPerSecond int64) *rate.Limiter {
	if bytesPerSecond == 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(bytesPerSecond), int(min(max(bytesPerSecond/burstShare, 1), math.MaxInt32)))
}

// throttle is the bound of one transfer. A nil throttle bounds nothing.
type throttle []*rate.Limiter

// forOne makes the throttle of a transfer.
func (b bandwidth) forOne() throttle {
	var t throttle
	for _, l := range []*rate.Limiter{b.total, limiter(b.each)} {
		if l != nil {
			t = append(t, l)
		}
	}
	return t
}

// most is how much may be moved in one step, at most n bytes.
func (t throttle) most(n int) int {
	for _, l := range t {
		n = min(n, l.Burst())
	}
	return n
}

// wait lets the time pass that n bytes have to take.
func (t throttle) wait(ctx context.Context, n int) error {
	for _, l := range t {
		if err := l.WaitN(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// throttled is a stream at a bounded rate.
type throttled struct {
	ctx context.Context
	src io.Reader
	throttle
}

// at bounds the rate of src; without a bound it is src itself.
func (t throttle) at(ctx context.Context, src io.Reader) io.Reader {
	if len(t) == 0 {
		return src
	}
	return throttled{ctx, src, t}
}

func (t throttled) Read(p []byte) (int, error) {
	n, err := t.src.Read(p[:t.most(len(p))])
	if waitErr := t.wait(t.ctx, n); waitErr != nil && err == nil {
		err = waitErr
	}
	return n, err
}
