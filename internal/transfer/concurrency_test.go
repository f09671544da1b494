package transfer_test

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"sluice/internal/transfer"
)

// Many workers begin, move and end transfers, each end called twice at once,
// while others read all there is to read.
func TestTotalsAreExact(t *testing.T) {
	t.Parallel()
	const crew, each, adds = 16, 60, 40 // workers of each kind
	var onEnd atomic.Int64
	r := transfer.New(transfer.Options{OnEnd: func(transfer.Record) { onEnd.Add(1) }})
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() { readUntil(t, r, stop) })
	}
	kinds, results := transfer.Kinds(), transfer.Results()
	workers := crew * len(kinds)
	for w := range workers {
		writers.Go(func() {
			for i := range each {
				k := kinds[w%len(kinds)]
				tr := r.Begin(transfer.Spec{Direction: k.Direction, Protocol: k.Protocol})
				for n := range adds {
					tr.Add(n)
				}
				endTwice(tr, results[i%len(results)])
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()

	const perKind, perTransfer = crew * each, adds * (adds - 1) / 2
	for _, c := range r.Totals() {
		if c.Started != perKind || c.InFlight != 0 || c.Bytes != perKind*perTransfer {
			t.Errorf("%v = %+v, want %d started, 0 in flight, %d bytes", c.Kind, c, perKind, perKind*perTransfer)
		}
		for result, n := range c.Finished {
			if want := int64(perKind / len(results)); n != want {
				t.Errorf("%v finished %q = %d, want %d", c.Kind, result, n, want)
			}
		}
	}
	if got := onEnd.Load(); got != int64(workers*each) {
		t.Errorf("OnEnd ran %d times, want %d", got, workers*each)
	}
	<-r.Idle()
}

func endTwice(tr *transfer.Transfer, result transfer.Result) {
	var ends sync.WaitGroup
	for range 2 {
		ends.Go(func() { tr.End(transfer.Outcome{Result: result}) })
	}
	ends.Wait()
}

// readUntil checks that what is read at any moment fits together.
func readUntil(t *testing.T, r *transfer.Registry, stop <-chan struct{}) {
	moved := make(map[transfer.Kind]int64)
	for {
		select {
		case <-stop:
			return
		default:
		}
		for _, c := range r.Totals() {
			ended := int64(0)
			for _, n := range c.Finished {
				ended += n
			}
			if c.InFlight < 0 || c.Started != c.InFlight+ended || c.Bytes < moved[c.Kind] {
				t.Errorf("totals do not add up: %+v, %d bytes before", c, moved[c.Kind])
			}
			moved[c.Kind] = c.Bytes
		}
		for _, s := range r.Running() {
			wantPlausible(t, s)
		}
		for _, rec := range r.Recent() {
			wantPlausible(t, rec.Snapshot)
		}
	}
}

func wantPlausible(t *testing.T, s transfer.Snapshot) {
	t.Helper()
	for _, rate := range []float64{s.Rate, s.MeanRate} {
		if math.IsNaN(rate) || math.IsInf(rate, 0) || rate < 0 {
			t.Errorf("rate = %v in %+v", rate, s)
		}
	}
}
