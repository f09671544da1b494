package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sluice/loadtest/record"
)

// Measure runs plan so many times and writes the rows to sink. Progress is shown on
// progress while it runs, if that is a terminal; nil means nowhere. The files of
// each repeat are removed before the next.
//
// A transfer that fails is a row and no error of Measure. An error means that the
// run ended early, or that rows were lost. When ctx is done, the transfers are broken off and the files removed.
func Measure(ctx context.Context, plan Plan, repeats int, sink record.Sink, progress io.Writer) (err error) {
	if repeats < 1 {
		return fmt.Errorf("repeats: %d is less than 1", repeats)
	}
	var meter record.Meter
	r, err := newRunner(plan, &meter, sink)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.end(ctx)) }()
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if err := r.begin(r.plan.String(), r.plan); err != nil {
		return err
	}
	display := startProgress(progress, &meter, int64(repeats)*r.bytesPerRepeat())
	defer display.end()
	display.label("%s warm-up", plan.Scenario)
	if err := r.warmUp(ctx); err != nil {
		return err
	}
	r.cleanup(ctx)
	for number := 1; number <= repeats; number++ {
		display.label("%s %d/%d", plan.Scenario, number, repeats)
		if err := r.repeat(ctx, 0, number); err != nil {
			return err
		}
		r.cleanup(ctx)
	}
	return nil
}
