package record

import (
	"errors"
	"sync"
)

// Sink takes the rows of a run as they come: a header first, a transfer when it
// has ended, a repeat after its transfers. The sinks of this package are safe for
// concurrent use. The row is the sink's afterwards. An error means that the row
// is lost, and that more of them will be.
type Sink interface {
	Write(Row) error
}

// Run is a sink that keeps the rows in memory, in the order in which they came.
// It is read only when nobody writes any more.
type Run struct {
	mu        sync.Mutex
	Headers   []*Header
	Repeats   []*Repeat
	Transfers []*Transfer
	Seconds   []*Second
	Usages    []*Usage
	Leftovers []*Leftover
}

// Write adds the row. It never fails.
func (r *Run) Write(row Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch row := row.(type) {
	case *Header:
		r.Headers = append(r.Headers, row)
	case *Repeat:
		r.Repeats = append(r.Repeats, row)
	case *Transfer:
		r.Transfers = append(r.Transfers, row)
	case *Second:
		r.Seconds = append(r.Seconds, row)
	case *Usage:
		r.Usages = append(r.Usages, row)
	case *Leftover:
		r.Leftovers = append(r.Leftovers, row)
	}
	return nil
}

// Rows returns all rows, kind by kind.
func (r *Run) Rows() []Row {
	var rows []Row
	rows = appendRows(rows, r.Headers)
	rows = appendRows(rows, r.Transfers)
	rows = appendRows(rows, r.Seconds)
	rows = appendRows(rows, r.Usages)
	rows = appendRows(rows, r.Repeats)
	return appendRows(rows, r.Leftovers)
}

func appendRows[T Row](all []Row, rows []T) []Row {
	for _, row := range rows {
		all = append(all, row)
	}
	return all
}

// Tee returns a sink that passes each row to all of sinks, one row at a time, so
// that all of them see the rows in the same order.
func Tee(sinks ...Sink) Sink { return &tee{sinks: sinks} }

type tee struct {
	mu    sync.Mutex
	sinks []Sink
}

func (t *tee) Write(row Row) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var faults []error
	for _, sink := range t.sinks {
		faults = append(faults, sink.Write(row))
	}
	return errors.Join(faults...)
}
