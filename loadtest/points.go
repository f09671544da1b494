package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sluice/loadtest/record"
)

// points runs several plans one after the other into one run, each with a label
// on its rows.
type points struct {
	sink    record.Sink
	meter   record.Meter
	header  *record.Header
	display *progress
	serial  int // of the last repeat, so that no two points share a file's name
}

// startPoints writes the header of the run.
func startPoints(title string, plan any, seed uint64, sink record.Sink, progress io.Writer) (*points, error) {
	header, err := record.NewHeader(title, plan, seed)
	if err != nil {
		return nil, err
	}
	p := &points{sink: sink, header: header}
	if err := sink.Write(header); err != nil {
		return nil, err
	}
	p.display = startProgress(progress, &p.meter, 0)
	return p, nil
}

// run runs a plan so many times and returns the rows of the repeats.
func (p *points) run(ctx context.Context, label string, plan Plan, repeats int) (rows []record.Repeat, err error) {
	r, err := newRunner(plan, &p.meter, p.sink)
	if err != nil {
		return nil, err
	}
	r.label, r.began, r.serial = label, p.header.Started, p.serial+1
	defer func() {
		err = errors.Join(err, r.end(ctx))
		p.serial = r.serial
	}()
	p.display.label("%s %s", plan.Scenario, label)
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if err := r.warmUp(ctx); err != nil {
		return nil, err
	}
	for number := 1; number <= repeats; number++ {
		p.display.label("%s %s %d/%d", plan.Scenario, label, number, repeats)
		r.cleanup(ctx)
		if err := r.repeat(ctx, 0, number); err != nil {
			return rows, err
		}
		rows = append(rows, r.last)
	}
	return rows, nil
}

func (p *points) end() { p.display.end() }

// labelOf is how the rows of a point are marked.
func labelOf(variable string, value any) string { return fmt.Sprintf("%s=%v", variable, value) }
