package loadtest

import (
	"time"

	"sluice/loadtest/record"
)

// watch is what writes the rows of the seconds of a repeat.
type watch struct {
	stop  chan struct{}
	ended chan error
}

// watch writes a row for each second from began on, until end is called.
func (r *runner) watch(repeat *record.Repeat, began time.Time) watch {
	w := watch{stop: make(chan struct{}), ended: make(chan error, 1)}
	before := r.meter.Snapshot()
	go func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		var ended float64
		var fault error
		for second := 0; ; second++ {
			last := false
			select {
			case <-w.stop:
				last = true
			case <-ticker.C:
			}
			now, at := r.meter.Snapshot(), time.Since(began).Seconds()
			row := now.Since(before)
			row.Origin, row.Label, row.Pair, row.Repeat, row.Second = repeat.Origin, repeat.Label, repeat.Pair, repeat.Repeat, second
			row.End, row.Length = at, at-ended
			if err := r.sink.Write(row); fault == nil {
				fault = err
			}
			before, ended = now, at
			if last {
				w.ended <- fault
				return
			}
		}
	}()
	return w
}

// end writes the last, shorter second.
func (w watch) end() error {
	close(w.stop)
	return <-w.ended
}
