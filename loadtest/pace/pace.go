// Package pace says when transfers begin and how fast their bytes may move. It
// is arithmetic on offsets from a start signal and knows nothing of what moves.
package pace

import (
	"math"
	"time"
)

// Arrivals says when transfers of an open model are due: so many a second,
// whether or not earlier ones have ended.
type Arrivals struct {
	// Rate is the number of transfers per second.
	Rate float64
	// Ramp is the time in which the rate grows from 0 to Rate, evenly.
	Ramp time.Duration
}

// Due returns when the transfer of that number, from 0, is due after the start
// signal.
//
// In the ramp the rate is Rate*t/Ramp, so Rate*t²/(2*Ramp) transfers are due by
// the time t, and Rate*Ramp/2 in all of it; from then on one each 1/Rate.
func (a Arrivals) Due(number int64) time.Duration {
	n, ramp := float64(number), a.Ramp.Seconds()
	inRamp := a.Rate * ramp / 2
	if n < inRamp {
		return seconds(math.Sqrt(2 * ramp * n / a.Rate))
	}
	return seconds(ramp + (n-inRamp)/a.Rate)
}

// Within returns how many transfers are due before d has passed.
func (a Arrivals) Within(d time.Duration) int64 {
	t, ramp := d.Seconds(), a.Ramp.Seconds()
	due := a.Rate*ramp/2 + a.Rate*(t-ramp)
	if t < ramp {
		due = a.Rate * t * t / (2 * ramp)
	}
	return int64(math.Ceil(due - 1e-9))
}

// Joins returns when a stream of a closed model, counted from 0, begins: all at
// once, or evenly over the ramp, the first one at its beginning.
func Joins(stream, streams int, ramp time.Duration) time.Duration {
	return ramp * time.Duration(stream) / time.Duration(streams)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
