package loadtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sluice/loadtest/payload"
	"sluice/loadtest/record"
)

// runner puts the work of one plan on its server and keeps the rows.
type runner struct {
	plan     Plan
	target   *url.URL
	scenario scenario
	source   *payload.Source
	meter    *record.Meter
	sink     record.Sink
	began    time.Time // when the header was written
	serial   int       // of the current repeat; 0 while preparing
	prepared []*job
	finished []*job // whose files are still on the server
	buffers  [][]byte
	faults   []error // of rows lost while cleaning up
}

// newRunner returns a runner for plan, which must be valid. It counts what
// moves in meter and writes the rows to sink.
func newRunner(plan Plan, source *payload.Source, meter *record.Meter, sink record.Sink) (*runner, error) {
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	target, err := parseTarget(plan.URL)
	if err != nil {
		return nil, err
	}
	scenario, err := newScenario(plan.Scenario)
	if err != nil {
		return nil, err
	}
	return &runner{
		plan: plan, target: target, scenario: scenario, source: source, meter: meter, sink: sink,
		buffers: make([][]byte, plan.Streams),
	}, nil
}

// newJob returns the job for one file of a stream in the current repeat.
func (r *runner) newJob(stream, index int) *job {
	j := &job{
		plan:   &r.plan,
		target: r.target,
		name:   r.plan.fileName(r.serial, stream, index),
		file:   r.source.File(uint64(r.serial)<<48|uint64(index)<<24|uint64(stream), r.plan.Size),
		buffer: func() []byte { return r.buffer(stream) },
		row: &record.Transfer{
			Origin: r.origin(), Scenario: r.plan.Scenario, Direction: r.plan.direction(),
			Stream: stream, Sequence: index,
		},
		tally: tally{all: r.meter.Bytes(r.plan.direction())},
	}
	if stream < len(r.prepared) {
		j.prepared = r.prepared[stream]
	}
	return j
}

// buffer returns the memory that a stream receives through, the same each time.
func (r *runner) buffer(stream int) []byte {
	if r.buffers[stream] == nil {
		r.buffers[stream] = make([]byte, receiveBuffer(r.plan.Streams))
	}
	return r.buffers[stream]
}

func (r *runner) session(ctx context.Context) *session {
	return &session{ctx: ctx, timeout: r.plan.Timeout}
}

// prepare makes the server ready for all streams, and writes the header. Where
// that fails, there is nothing to measure.
func (r *runner) prepare(ctx context.Context) error {
	for stream := range r.plan.Streams {
		j := r.newJob(stream, 0)
		j.tally.all = new(atomic.Int64) // no part of the measured bytes
		s := r.session(ctx)
		err := r.scenario.prepare(s, j)
		s.close()
		if err == nil {
			err = j.checkDigest()
		}
		r.prepared = append(r.prepared, j)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("prepare %s: %w", r.target, err)
		}
		r.plan.Size = j.file.Size() // another one than planned if j is foreign
	}
	header, err := record.NewHeader(r.plan.String(), r.plan, r.plan.Seed)
	if err != nil {
		return err
	}
	header.Origin = r.origin()
	r.began = header.Started
	return r.sink.Write(header)
}

// repeat runs all streams once and adds the rows, number to be the number of
// the repeat in them. Transfers that fail are rows too; an error means that it
// makes no sense to go on.
func (r *runner) repeat(ctx context.Context, pair, number int) error {
	if err := chill(ctx, r.plan); err != nil {
		return err
	}
	r.serial++
	streams := make([][]*job, r.plan.Streams)
	for stream := range streams {
		for index := range r.plan.files() {
			streams[stream] = append(streams[stream], r.newJob(stream, index))
		}
	}
	row := &record.Repeat{Origin: r.origin(), Pair: pair, Repeat: number}
	err := r.startInCrowd(ctx, streams, row)
	jobs := slices.Concat(streams...)
	r.finished = append(r.finished, jobs...)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, j := range jobs {
		j.row.Pair, j.row.Repeat = pair, number
		j.conclude()
		if j.row.Error == nil {
			row.Bytes += j.row.Bytes
		} else {
			row.Failed++
		}
		err = errors.Join(err, r.sink.Write(j.row))
	}
	return errors.Join(err, r.sink.Write(row))
}

// startInCrowd is start while the crowd of the plan is there.
func (r *runner) startInCrowd(ctx context.Context, streams [][]*job, row *record.Repeat) error {
	if r.plan.Crowd == (Crowd{}) {
		return r.start(ctx, streams, row)
	}
	crowd, err := r.plan.Crowd.gather(ctx, r.target)
	if err == nil {
		err = r.start(ctx, streams, row)
	}
	return errors.Join(err, crowd.disperse())
}

// start connects all streams, lets them run at one signal, and takes down in
// row what that took.
func (r *runner) start(ctx context.Context, streams [][]*job, row *record.Repeat) error {
	var connected, done sync.WaitGroup
	var began time.Time
	signal := make(chan struct{})
	connected.Add(len(streams))
	for _, jobs := range streams {
		done.Go(func() {
			s := r.session(ctx)
			defer s.close()
			err := s.connect(r.target)
			connected.Done()
			<-signal
			r.runStream(s, jobs, began, err)
		})
	}
	connected.Wait()
	before, errBefore := readUsage(r.plan.PIDs)
	began = time.Now()
	row.Start = began.Sub(r.began).Seconds()
	seconds := r.watch(row, began)
	close(signal)
	done.Wait()
	row.Seconds = time.Since(began).Seconds()
	errSeconds := seconds.end()
	after, errAfter := readUsage(r.plan.PIDs)
	row.ServerCPUSeconds = after.server - before.server
	row.TesterCPUSeconds = after.tester - before.tester
	peak, errPeak := readPeakRSS(r.plan.PIDs)
	row.ServerPeakRSS, row.TesterPeakRSS = peak, testerPeakRSS()
	return errors.Join(errBefore, errAfter, errPeak, errSeconds)
}

// runStream moves the files of one stream, unless it could not be connected.
func (r *runner) runStream(s *session, jobs []*job, began time.Time, err error) {
	for _, j := range jobs {
		start := time.Now()
		j.row.Start = start.Sub(began).Seconds()
		j.row.Due, j.row.Size = j.row.Start, j.file.Size()
		r.meter.Started.Add(1)
		if j.err = err; err == nil {
			j.err = r.scenario.run(s, j)
		}
		j.row.Seconds = time.Since(start).Seconds()
		if j.err != nil {
			r.meter.Failed.Add(1)
		}
		r.meter.Finished.Add(1)
	}
}

// cleanup removes the files of the repeats so far, unless the plan keeps them.
func (r *runner) cleanup(ctx context.Context) {
	r.remove(ctx, r.finished)
	r.finished = nil
}

// end removes all files, even if ctx is done. It fails only if rows were lost.
func (r *runner) end(ctx context.Context) error {
	r.cleanup(ctx)
	r.remove(ctx, r.prepared)
	return errors.Join(r.faults...)
}

func (r *runner) remove(ctx context.Context, jobs []*job) {
	if r.plan.Keep {
		return
	}
	for _, j := range jobs {
		if !j.made {
			continue
		}
		s := r.session(context.WithoutCancel(ctx))
		if err := r.scenario.cleanup(s, j); err != nil {
			err = r.sink.Write(&record.Leftover{Origin: r.origin(), Error: asError(err)})
			r.faults = append(r.faults, err)
		}
		s.close()
	}
}

// origin says whose rows these are.
func (r *runner) origin() record.Origin { return record.Origin{Side: r.plan.side} }

// bytesPerRepeat is what one repeat moves if all goes well.
func (r *runner) bytesPerRepeat() int64 {
	var sum int64
	for _, j := range r.prepared {
		sum += j.file.Size()
	}
	return sum * int64(r.plan.files())
}
