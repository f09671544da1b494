package loadtest

import (
	"errors"
	"time"

	"sluice/loadtest/record"
)

// watch is what writes the rows of the seconds of a repeat.
type watch struct {
	*runner
	repeat *record.Repeat // whose origin, label and number the rows have
	began  time.Time
	counts record.Snapshot // of the meter at the last row
	used   usage           // before the repeat
	ended  float64         // when that row did

	stop chan struct{}
	done chan error
}

// watch writes rows for each second from began on, until end is called: what has
// moved, and what the server has used if its processes are known.
func (r *runner) watch(repeat *record.Repeat, began time.Time, used usage) *watch {
	w := &watch{
		runner: r, repeat: repeat, began: began, counts: r.meter.Snapshot(), used: used,
		stop: make(chan struct{}), done: make(chan error, 1),
	}
	go func() { w.done <- w.run() }()
	return w
}

// run returns the first fault.
func (w *watch) run() error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	var fault error
	for second, last := 0, false; !last; second++ {
		select {
		case <-w.stop:
			last = true
		case <-ticker.C:
		}
		if err := errors.Join(w.writeSecond(second), w.writeUsage()); fault == nil {
			fault = err
		}
	}
	return fault
}

func (w *watch) writeSecond(second int) error {
	counts, at := w.meter.Snapshot(), time.Since(w.began).Seconds()
	row := counts.Since(w.counts)
	row.Origin, row.Label, row.Pair, row.Repeat, row.Second = w.repeat.Origin, w.repeat.Label, w.repeat.Pair, w.repeat.Repeat, second
	row.End, row.Length = at, at-w.ended
	w.counts, w.ended = counts, at
	return w.sink.Write(row)
}

// writeUsage writes nothing if the server's processes are unknown. One that is gone
// is told at the end of the repeat.
func (w *watch) writeUsage() error {
	if len(w.plan.PIDs) == 0 {
		return nil
	}
	now, err := readUsage(w.plan.PIDs)
	server, errServer := sumOf(w.plan.PIDs, residentSize)
	if err != nil || errServer != nil {
		return nil
	}
	return w.sink.Write(&record.Usage{
		Origin: w.repeat.Origin, Label: w.repeat.Label, Pair: w.repeat.Pair, Repeat: w.repeat.Repeat,
		At: time.Since(w.began).Seconds(), ServerCPUSeconds: now.server - w.used.server, ServerRSS: server,
		TesterCPUSeconds: now.tester - w.used.tester, TesterRSS: testerRSS(),
	})
}

// end writes the rows of the last, shorter second.
func (w *watch) end() error {
	close(w.stop)
	return <-w.done
}
