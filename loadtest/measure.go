package loadtest

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
)

// Measure runs plan so many times and returns the rows. Progress is shown on
// progress while it runs, if that is a terminal; nil means nowhere. The files of
// each repeat are removed before the next.
//
// A transfer that fails is a row and no error of Measure: see [Run.Err]. An
// error means that the run ended early; the rows up to there are returned with
// it. When ctx is done, the transfers are broken off and the files removed.
func Measure(ctx context.Context, plan Plan, repeats int, progress io.Writer) (*Run, error) {
	if repeats < 1 {
		return nil, fmt.Errorf("repeats: %d is less than 1", repeats)
	}
	var moved atomic.Int64
	r, err := newRunner(plan, NewPayload(plan.Seed), &moved)
	if err != nil {
		return nil, err
	}
	defer r.end(ctx)
	if err := r.prepare(ctx); err != nil {
		return r.run, err
	}
	display := startProgress(progress, &moved, int64(repeats)*r.bytesPerRepeat())
	defer display.end()
	for number := 1; number <= repeats; number++ {
		display.label("%s %d/%d", plan.Scenario, number, repeats)
		if err := r.repeat(ctx, 0, number); err != nil {
			return r.run, err
		}
		r.cleanup(ctx)
	}
	return r.run, nil
}
