package doctor

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/dustin/go-humanize"
)

const (
	// rateTime is how long an upload may take whose rate is measured.
	rateTime = 10 * time.Second
	// near is a round trip below which windows bound nothing, and a rate says more
	// of the machines.
	near = 5 * time.Millisecond
	// exchanges is how many are timed to find it.
	exchanges = 5
	// slower is how many times as slow HTTP/2 may be.
	slower = 2
)

// http2 compares uploads in HTTP/2 with such in HTTP/1.1. A proxy with small
// windows makes browsers wait for a round trip after each.
func http2(ctx context.Context, v *visitor, f *findings) {
	if v.http2 == nil {
		f.ok("the proxy doesn't speak it")
		return
	}
	if v.capped {
		f.ok("can't be compared, since large bodies don't pass")
		return
	}
	trip, err := v.roundTrip(ctx)
	if err != nil {
		f.warn(nil, "no connection: %v", err)
		return
	}
	old, err := v.rate(ctx, v.http1, "-rate1")
	if err != nil {
		f.problem(nil, "an upload in HTTP/1.1: %v", err)
		return
	}
	now, err := v.rate(ctx, v.http2, "-rate2")
	if err != nil {
		f.problem(remedyHTTP2, "an upload in HTTP/2: %v", err)
		return
	}
	text := "%s/s in HTTP/2, %s/s in HTTP/1.1, a round trip of %s"
	args := []any{humanize.Bytes(uint64(now)), humanize.Bytes(uint64(old)), trip.Round(time.Millisecond / 10)}
	if trip > near && now*slower < old {
		f.warn(remedyHTTP2, "uploads are slow: "+text, args...)
		return
	}
	f.ok(text, args...)
}

// rate uploads for a while and returns the bytes per second.
func (v *visitor) rate(ctx context.Context, client *http.Client, name string) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, rateTime+patience)
	defer cancel()
	body := &timed{left: v.Size, end: time.Now().Add(rateTime)}
	began := time.Now()
	a, err := v.do(ctx, client, request{method: http.MethodPut, url: v.file(name), body: body, length: -1})
	if err != nil {
		return 0, err
	}
	if !a.success() {
		return 0, refusedError{a}
	}
	return float64(v.Size-body.left) / time.Since(began).Seconds(), nil
}

// refusedError is an answer that should have been a success.
type refusedError struct{ answer }

func (r refusedError) Error() string { return r.String() }

// roundTrip is how long the shortest of some exchanges takes.
func (v *visitor) roundTrip(ctx context.Context) (time.Duration, error) {
	shortest := time.Duration(math.MaxInt64)
	for range exchanges {
		began := time.Now()
		if _, err := v.quick(ctx, request{method: http.MethodOptions, url: v.URL.String() + "files/"}); err != nil {
			return 0, err
		}
		shortest = min(shortest, time.Since(began))
	}
	return shortest, nil
}
