package report

import (
	"errors"
	"fmt"
	"sync"

	"sluice/loadtest/record"
)

// Errors that the Err methods wrap, so that a caller can map them to an exit
// code.
var (
	// ErrFailed says that at least one transfer or removal went wrong.
	ErrFailed = errors.New("load failed")
	// ErrNothing says that no transfer was completed at all.
	ErrNothing = fmt.Errorf("%w: nothing was transferred", ErrFailed)
)

// Report is what the rows of a run come to. It is a [record.Sink] that takes them
// while the run goes on, or later from its records, with the same result.
type Report struct {
	mu  sync.Mutex
	run *Run // of rows that come from no side
	// A comparison's sides, nil if it is none.
	comparison *Comparison
	findings   []finding // of thresholds
	// Lead is shown before what is computed here, after the title.
	Lead []Section
	// Sections are shown behind what is computed here.
	Sections []Section
}

// New returns the report of no rows.
func New() *Report { return &Report{} }

// Of returns the report of rows.
func Of(rows *record.Run) *Report {
	r := New()
	for _, row := range rows.Rows() {
		_ = r.Write(row) // which never fails
	}
	return r
}

// NewRun returns the report of rows that come from no side of a comparison.
func NewRun(rows *record.Run) *Run {
	if run := Of(rows).run; run != nil {
		return run
	}
	return newRun()
}

// NewComparison returns the report of rows that come from the sides a and b.
func NewComparison(rows *record.Run) *Comparison {
	if comparison := Of(rows).comparison; comparison != nil {
		return comparison
	}
	return newComparison()
}

// Write adds the row. It never fails.
func (r *Report) Write(row record.Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch side := row.From().Side; {
	case side == "":
		if r.run == nil {
			r.run = newRun()
		}
		r.run.add(row)
	default:
		if r.comparison == nil {
			r.comparison = newComparison()
		}
		r.comparison.side(side).add(row)
	}
	return nil
}

// Runs returns the runs of which the report tells: one, or the two of a
// comparison.
func (r *Report) Runs() []*Run {
	var runs []*Run
	if r.run != nil {
		runs = append(runs, r.run)
	}
	if r.comparison != nil {
		runs = append(runs, r.comparison.A, r.comparison.B)
	}
	return runs
}

// Empty says that there is nothing to tell.
func (r *Report) Empty() bool { return r.run == nil && r.comparison == nil }

// Err returns nil if all that was to be done went well, and an error that wraps
// [ErrFailed], [ErrMissed] or both if not.
func (r *Report) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := ErrNothing
	switch {
	case r.comparison != nil:
		err = r.comparison.Err()
	case r.run != nil:
		err = r.run.Err()
	}
	return errors.Join(err, missed(r.findings))
}
