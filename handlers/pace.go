package handlers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"
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
	total atomic.Pointer[rate.Limiter] // shared by all, running ones too; nil for no bound
	each  atomic.Int64                 // bytes per second of one transfer; 0 for no bound
}

func (b *bandwidth) limit(total, each int64) {
	b.total.Store(limiter(total))
	b.each.Store(each)
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

// throttle is the bound of one transfer.
type throttle struct {
	shared      *bandwidth
	caller, own *rate.Limiter // nil for no bound
}

// forOne makes the throttle of a transfer of somebody with a bound of their own,
// which may be nil.
func (b *bandwidth) forOne(caller *rate.Limiter) throttle {
	return throttle{b, caller, limiter(b.each.Load())}
}

// limiters are those in effect. Any may be nil.
func (t throttle) limiters() [3]*rate.Limiter {
	return [...]*rate.Limiter{t.shared.total.Load(), t.caller, t.own}
}

// most is how much may be moved in one step, at most n bytes.
func (t throttle) most(n int) int {
	for _, l := range t.limiters() {
		if l != nil {
			n = min(n, l.Burst())
		}
	}
	return n
}

// wait lets the time pass that n bytes have to take.
func (t throttle) wait(ctx context.Context, n int) error {
	for _, l := range t.limiters() {
		if err := waitFor(ctx, l, n); err != nil {
			return err
		}
	}
	return nil
}

// waitFor takes more than fits into the limiter's burst in parts: the limiter may
// be another one than at the beginning of the step.
func waitFor(ctx context.Context, l *rate.Limiter, n int) error {
	for l != nil && n > 0 {
		part := min(n, l.Burst())
		if err := l.WaitN(ctx, part); err != nil {
			return err
		}
		n -= part
	}
	return nil
}

// throttled is a stream at a bounded rate.
type throttled struct {
	ctx context.Context
	src io.Reader
	throttle
}

func (t throttled) Read(p []byte) (int, error) {
	n, err := t.src.Read(p[:t.most(len(p))])
	if waitErr := t.wait(t.ctx, n); waitErr != nil && err == nil {
		err = waitErr
	}
	return n, err
}
