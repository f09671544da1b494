package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"sluice/loadtest/record"
)

// VersusPlan is a comparison of two servers, or of two ways into one: A and B in
// turn, pair by pair, so that what else the machine does falls on both.
type VersusPlan struct {
	A Plan `json:"a"`
	B Plan `json:"b"`
	// Pairs is the number of pairs that count, WarmUp that of pairs before them
	// that don't.
	Pairs  int `json:"pairs"`
	WarmUp int `json:"warm_up"`
	// Sustained is the number of repeats that each side runs back to back in each
	// pair, their files kept until it is done. 1 is a burst.
	Sustained int `json:"sustained"`
	// Settle writes the system's dirty pages to disk before each turn, so that
	// those of the one before don't burden it. Pause is idle time after that.
	Settle bool          `json:"settle"`
	Pause  time.Duration `json:"pause_ns"`
}

// Validate returns all that is wrong with the plan, nil if nothing is.
func (p VersusPlan) Validate() error {
	var faults []error
	if err := p.A.Validate(); err != nil {
		faults = append(faults, fmt.Errorf("a: %w", err))
	}
	if err := p.B.Validate(); err != nil {
		faults = append(faults, fmt.Errorf("b: %w", err))
	}
	if p.Pairs < 1 {
		faults = append(faults, fmt.Errorf("pairs: %d is less than 1", p.Pairs))
	}
	if p.WarmUp < 0 {
		faults = append(faults, fmt.Errorf("warm-up: %d is negative", p.WarmUp))
	}
	if p.Sustained < 1 {
		faults = append(faults, fmt.Errorf("sustained: %d is less than 1", p.Sustained))
	}
	return errors.Join(faults...)
}

// Versus runs the comparison and writes the rows of both sides to sink: those of the
// sides "a" and "b". Progress, errors and the end of ctx are as with
// [Measure].
func Versus(ctx context.Context, plan VersusPlan, sink record.Sink, progress io.Writer) (err error) {
	if err := plan.Validate(); err != nil {
		return err
	}
	plan.A.side, plan.B.side = "a", "b"
	var meter record.Meter
	a, errA := newRunner(plan.A, &meter, sink)
	b, errB := newRunner(plan.B, &meter, sink)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.end(ctx), b.end(ctx)) }()
	for _, side := range []*runner{a, b} {
		if err := side.prepare(ctx); err != nil {
			return fmt.Errorf("%s: %w", side.plan.side, err)
		}
		if err := side.begin(side.plan.String(), side.plan); err != nil {
			return err
		}
	}
	turns := int64(plan.WarmUp+plan.Pairs) * int64(plan.Sustained)
	display := startProgress(progress, &meter, turns*(a.bytesPerRepeat()+b.bytesPerRepeat()))
	defer display.end()
	return plan.alternate(ctx, a, b, display)
}

// alternate runs the pairs. Those of the warm-up have number 0.
func (p VersusPlan) alternate(ctx context.Context, a, b *runner, display *progress) error {
	for number := 1 - p.WarmUp; number <= p.Pairs; number++ {
		pair := max(0, number)
		for _, side := range []*runner{a, b} {
			display.label("pair %d/%d %s", pair, p.Pairs, side.plan.side)
			if err := p.quiet(ctx); err != nil {
				return err
			}
			if err := p.turn(ctx, side, pair); err != nil {
				return fmt.Errorf("%s: %w", side.plan.side, err)
			}
		}
	}
	return nil
}

// quiet lets the machine come to rest.
func (p VersusPlan) quiet(ctx context.Context) error {
	if p.Settle {
		settle()
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(p.Pause):
		return nil
	}
}

// turn runs one side once, or as often as is sustained.
func (p VersusPlan) turn(ctx context.Context, side *runner, pair int) error {
	defer side.cleanup(ctx)
	for number := 1; number <= p.Sustained; number++ {
		if err := side.repeat(ctx, pair, number); err != nil {
			return err
		}
	}
	return nil
}
