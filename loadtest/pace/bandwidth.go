package pace

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// period is how often bytes move at a bandwidth: rarely enough for a thousand
// streams to cost little, and often enough for no timeout to mistake it for
// silence.
const period = 100 * time.Millisecond

// Bandwidth bounds how fast the bytes of one stream move. A nil one doesn't.
type Bandwidth struct {
	limiter *rate.Limiter
	portion int
}

// NewBandwidth returns a bandwidth of so many bytes per second, nil if that is
// 0. What isn't used is not saved up beyond a tenth of a second.
func NewBandwidth(bytesPerSecond int64) *Bandwidth {
	if bytesPerSecond == 0 {
		return nil
	}
	portion := int(max(1, bytesPerSecond*int64(period)/int64(time.Second)))
	limiter := rate.NewLimiter(rate.Limit(bytesPerSecond), portion)
	limiter.AllowN(time.Now(), portion) // or else the first portion would be free
	return &Bandwidth{limiter: limiter, portion: portion}
}

// Portion returns how many of n bytes may move next, at least 1 of them.
func (b *Bandwidth) Portion(n int) int {
	if b == nil {
		return n
	}
	return min(n, b.portion)
}

// Wait waits until n bytes may move, at most a portion, or ctx is done.
func (b *Bandwidth) Wait(ctx context.Context, n int) error {
	if b == nil || n == 0 {
		return nil
	}
	return b.limiter.WaitN(ctx, n)
}
