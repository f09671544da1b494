package pace_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sluice/loadtest/pace"
)

func TestArrivals(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, test := range []struct {
		name     string
		arrivals pace.Arrivals
		due      map[int64]time.Duration
		within   map[time.Duration]int64
	}{
		{
			"constant", pace.Arrivals{Rate: 50},
			map[int64]time.Duration{0: 0, 1: 20 * ms, 50: time.Second, 5000: 100 * time.Second},
			map[time.Duration]int64{0: 0, 20 * ms: 1, 21 * ms: 2, time.Second: 50, 10 * time.Second: 500},
		}, {
			"slow", pace.Arrivals{Rate: 0.5},
			map[int64]time.Duration{0: 0, 1: 2 * time.Second, 3: 6 * time.Second},
			map[time.Duration]int64{time.Second: 1, 2 * time.Second: 1, 5 * time.Second: 3},
		}, {
			// 100 a second after 4 s, 200 of them until then.
			"ramp", pace.Arrivals{Rate: 100, Ramp: 4 * time.Second},
			map[int64]time.Duration{0: 0, 50: 2 * time.Second, 200: 4 * time.Second, 300: 5 * time.Second},
			map[time.Duration]int64{2 * time.Second: 50, 4 * time.Second: 200, 5 * time.Second: 300},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for number, want := range test.due {
				if got := test.arrivals.Due(number); (got - want).Abs() > time.Microsecond {
					t.Errorf("transfer %d is due after %v, want %v", number, got, want)
				}
			}
			for d, want := range test.within {
				if got := test.arrivals.Within(d); got != want {
					t.Errorf("%d are due within %v, want %d", got, d, want)
				}
			}
			last := time.Duration(-1)
			for number := range int64(1000) {
				due := test.arrivals.Due(number)
				if due <= last {
					t.Fatalf("transfer %d is due after %v, the one before after %v", number, due, last)
				}
				last = due
			}
		})
	}
}

func TestJoins(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		stream, streams int
		ramp, want      time.Duration
	}{
		{0, 4, 0, 0}, {3, 4, 0, 0}, {0, 4, 8 * time.Second, 0}, {1, 4, 8 * time.Second, 2 * time.Second}, {3, 4, 8 * time.Second, 6 * time.Second},
	} {
		if got := pace.Joins(test.stream, test.streams, test.ramp); got != test.want {
			t.Errorf("stream %d of %d begins after %v of %v, want %v", test.stream, test.streams, got, test.ramp, test.want)
		}
	}
}

func TestBandwidth(t *testing.T) {
	t.Parallel()
	var unlimited *pace.Bandwidth
	if unlimited = pace.NewBandwidth(0); unlimited.Portion(1<<30) != 1<<30 || unlimited.Wait(t.Context(), 1<<30) != nil {
		t.Error("no bandwidth is a bound")
	}
	b := pace.NewBandwidth(10_000)
	if got := b.Portion(1 << 20); got != 1000 {
		t.Errorf("portion is %d bytes, want those of a tenth of a second", got)
	}
	if got := b.Portion(7); got != 7 {
		t.Errorf("portion of 7 bytes is %d", got)
	}
	if got := pace.NewBandwidth(3).Portion(100); got != 1 {
		t.Errorf("portion of 3 bytes per second is %d", got)
	}
	began := time.Now()
	for range 3 {
		if err := b.Wait(t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took < 290*time.Millisecond {
		t.Errorf("3000 bytes at 10000 a second took %v", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Wait(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting ended with %v", err)
	}
}
