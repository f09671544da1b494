package loadtest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"time"

	"sluice/loadtest/pace"
	"sluice/loadtest/payload"
	"sluice/loadtest/record"
)

// runner puts the work of one plan on its server and writes the rows.
type runner struct {
	plan     Plan
	label    string // of the rows
	target   *url.URL
	tls      *tls.Config // of https
	scenario scenario
	source   *payload.Source
	meter    *record.Meter
	sink     record.Sink
	began    time.Time // of the run
	serial   int       // of the current repeat; 0 while preparing

	prepared []stored  // files that downloads ask for
	made     catalogue // files of the repeats
	faults   []error   // of rows lost while cleaning up
	last     record.Repeat
}

// newRunner returns a runner for plan. It counts what moves in meter and writes
// the rows to sink.
func newRunner(plan Plan, meter *record.Meter, sink record.Sink) (*runner, error) {
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	target, err := parseTarget(plan.URL)
	if err != nil {
		return nil, err
	}
	scenario, err := newScenario(plan)
	if err != nil {
		return nil, err
	}
	tlsConfig, err := plan.Trust.config()
	if err != nil {
		return nil, err
	}
	return &runner{
		plan: plan, target: target, tls: tlsConfig, scenario: scenario, source: payload.New(plan.Seed, plan.Compressible),
		meter: meter, sink: sink,
	}, nil
}

// newJob returns the job for the file of an order in the current repeat.
func (r *runner) newJob(o order) *job {
	number := uint64(r.serial)<<48 | uint64(o.stream)<<32 | uint64(o.index)
	return &job{
		plan:   &r.plan,
		target: r.target,
		name:   r.plan.fileName(r.serial, o),
		source: r.source,
		number: number,
		file:   r.source.File(number, r.plan.Size.Of(r.source.Draw(number, drawSize))),
		row: &record.Transfer{
			Origin: r.origin(), Label: r.label, Scenario: r.plan.Scenario, Direction: r.plan.direction(),
		},
		tally: tally{all: r.meter.Bytes(r.plan.direction())},
	}
}

// session returns a session for what is not measured.
func (r *runner) session(ctx context.Context) *session {
	return &session{ctx: ctx, timeout: r.plan.Timeout, tls: r.tls}
}

// measuredSession returns a session as the plan has it.
func (r *runner) measuredSession(ctx context.Context) *session {
	s := r.session(ctx)
	s.closing = r.plan.Connection == ConnectionClose
	s.bandwidth = pace.NewBandwidth(r.plan.StreamRate)
	return s
}

// prepare makes the server ready. Where that fails, there is nothing to measure.
func (r *runner) prepare(ctx context.Context) error {
	s := r.session(ctx)
	defer s.close()
	err := r.scenario.prepare(s, r)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("prepare %s: %w", r.target, err)
	}
	return nil
}

// begin writes the header, which says plan and title.
func (r *runner) begin(title string, plan any) error {
	header, err := record.NewHeader(title, plan, r.plan.Seed)
	if err != nil {
		return err
	}
	header.Origin = r.origin()
	r.began = header.Started
	return r.sink.Write(header)
}

// repeat runs the work once and writes the rows, number to be the number of the
// repeat in them. Transfers that fail are rows too; an error means that it makes
// no sense to go on.
func (r *runner) repeat(ctx context.Context, pair, number int) error {
	if err := chill(ctx, r.plan); err != nil {
		return err
	}
	r.serial++
	c := r.newCrew(ctx, &record.Repeat{
		Origin: r.origin(), Label: r.label, Pair: pair, Repeat: number, Rate: r.plan.Rate,
	})
	err := c.workInCrowd(ctx)
	if c.row.Transfers > 0 || ctx.Err() == nil {
		r.last = *c.row // the row itself is the sink's
		err = errors.Join(err, r.sink.Write(c.row))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// warmUp runs the work for as long as the plan says. Of its transfers only those
// that fail leave rows, in repeat 0.
func (r *runner) warmUp(ctx context.Context) error {
	if r.plan.WarmUp == 0 {
		return nil
	}
	measured := r.plan
	defer func() { r.plan = measured }()
	r.plan.Duration, r.plan.Files = r.plan.WarmUp, 0
	r.serial++
	c := r.newCrew(ctx, &record.Repeat{Origin: r.origin(), Label: r.label})
	c.silent = true
	err := c.work()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// workInCrowd is work while the crowd of the plan is there.
func (c *crew) workInCrowd(ctx context.Context) error {
	if c.plan.Crowd == (Crowd{}) {
		return c.work()
	}
	crowd, err := c.plan.Crowd.gather(ctx, c.target)
	if err == nil {
		err = c.work()
	}
	return errors.Join(err, crowd.disperse())
}

// use adds to row what server and tester have used since before.
func (r *runner) use(row *record.Repeat, before usage) error {
	after, err := readUsage(r.plan.PIDs)
	row.ServerCPUSeconds = after.server - before.server
	row.TesterCPUSeconds = after.tester - before.tester
	peak, errPeak := readPeakRSS(r.plan.PIDs)
	row.ServerPeakRSS, row.TesterPeakRSS = peak, testerPeakRSS()
	return errors.Join(err, errPeak)
}

// cleanup removes the files of the repeats so far, unless the plan keeps them.
func (r *runner) cleanup(ctx context.Context) { r.remove(ctx, r.made.take()) }

// end removes all files, even if ctx is done. It fails only if rows were lost.
func (r *runner) end(ctx context.Context) error {
	r.cleanup(ctx)
	if len(r.prepared) > 0 && !r.foreign() {
		r.remove(ctx, r.prepared)
	}
	return errors.Join(r.faults...)
}

// foreign says that the file that is downloaded was there before.
func (r *runner) foreign() bool {
	g, ok := r.scenario.(*get)
	return ok && g.foreign
}

func (r *runner) remove(ctx context.Context, files []stored) {
	if r.plan.Keep {
		return
	}
	s := r.session(context.WithoutCancel(ctx))
	defer s.close()
	for _, file := range files {
		if err := remove(s, file); err != nil {
			err = r.sink.Write(&record.Leftover{Origin: r.origin(), Error: asError(err)})
			r.faults = append(r.faults, err)
		}
	}
}

// origin says whose rows these are.
func (r *runner) origin() record.Origin { return record.Origin{Side: r.plan.side} }

// bytesPerRepeat is about what one repeat moves if all goes well, 0 where there
// is no telling.
func (r *runner) bytesPerRepeat() int64 {
	files := r.plan.files()
	if r.plan.Rate == 0 {
		files *= r.plan.Streams
	}
	if r.plan.Duration > 0 {
		files = int(pace.Arrivals{Rate: r.plan.Rate, Ramp: r.plan.Ramp}.Within(r.plan.Duration))
	}
	return int64(float64(files) * r.plan.Size.Mean())
}
