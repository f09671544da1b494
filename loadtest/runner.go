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
)

// runner puts the work of one plan on its server and keeps the rows.
type runner struct {
	plan     Plan
	target   *url.URL
	scenario scenario
	payload  *Payload
	moved    *atomic.Int64

	run      *Run
	serial   int // of the current repeat; 0 while preparing
	prepared []*job
	finished []*job // whose files are still on the server
	buffers  [][]byte
}

// newRunner returns a runner for plan, which must be valid. It counts the bytes
// that move in moved.
func newRunner(plan Plan, payload *Payload, moved *atomic.Int64) (*runner, error) {
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
		plan: plan, target: target, scenario: scenario, payload: payload, moved: moved,
		run:     &Run{Plan: plan},
		buffers: make([][]byte, plan.Streams),
	}, nil
}

// newJob returns the job for one file of a stream in the current repeat.
func (r *runner) newJob(stream, index int) *job {
	j := &job{
		plan:   &r.plan,
		target: r.target,
		name:   r.plan.fileName(r.serial, stream, index),
		file:   r.payload.File(uint64(r.serial)<<48|uint64(index)<<24|uint64(stream), r.plan.Size),
		buffer: func() []byte { return r.buffer(stream) },
		row:    &Transfer{Stream: stream},
		tally:  tally{all: r.moved},
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

// prepare makes the server ready for all streams. Where that fails, there is
// nothing to measure.
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
		r.run.Plan.Size = j.file.Size() // another one than planned if j is foreign
	}
	return nil
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
	row, err := r.startInCrowd(ctx, streams)
	jobs := slices.Concat(streams...)
	r.finished = append(r.finished, jobs...)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	row.Pair, row.Repeat = pair, number
	for _, j := range jobs {
		j.row.Pair, j.row.Repeat = pair, number
		j.conclude()
		if j.row.Error == nil {
			row.Bytes += j.row.Bytes
		} else {
			row.Failed++
		}
		r.run.Transfers = append(r.run.Transfers, j.row)
	}
	r.run.Repeats = append(r.run.Repeats, row)
	return err
}

// startInCrowd is start while the crowd of the plan is there.
func (r *runner) startInCrowd(ctx context.Context, streams [][]*job) (row Repeat, err error) {
	if r.plan.Crowd == (Crowd{}) {
		return r.start(ctx, streams)
	}
	crowd, err := r.plan.Crowd.gather(ctx, r.target)
	if err == nil {
		row, err = r.start(ctx, streams)
	}
	return row, errors.Join(err, crowd.disperse())
}

// start connects all streams, lets them run at one signal, and returns what
// that took.
func (r *runner) start(ctx context.Context, streams [][]*job) (row Repeat, err error) {
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
			r.runStream(s, jobs, err)
		})
	}
	connected.Wait()
	before, errBefore := readUsage(r.plan.PIDs)
	began = time.Now()
	close(signal)
	done.Wait()
	row.Seconds = time.Since(began).Seconds()
	after, errAfter := readUsage(r.plan.PIDs)
	row.ServerCPUSeconds = after.server - before.server
	row.TesterCPUSeconds = after.tester - before.tester
	peak, errPeak := readPeakRSS(r.plan.PIDs)
	row.ServerPeakRSS = peak
	return row, errors.Join(errBefore, errAfter, errPeak)
}

// runStream moves the files of one stream, unless it could not be connected.
func (r *runner) runStream(s *session, jobs []*job, err error) {
	for _, j := range jobs {
		began := time.Now()
		if j.err = err; err == nil {
			j.err = r.scenario.run(s, j)
		}
		j.row.Seconds = time.Since(began).Seconds()
	}
}

// cleanup removes the files of the repeats so far, unless the plan keeps them.
func (r *runner) cleanup(ctx context.Context) {
	r.remove(ctx, r.finished)
	r.finished = nil
}

// end removes all files, even if ctx is done.
func (r *runner) end(ctx context.Context) {
	r.cleanup(ctx)
	r.remove(ctx, r.prepared)
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
			r.run.Leftover = append(r.run.Leftover, asError(err))
		}
		s.close()
	}
}

// bytesPerRepeat is what one repeat moves if all goes well.
func (r *runner) bytesPerRepeat() int64 {
	var sum int64
	for _, j := range r.prepared {
		sum += j.file.Size()
	}
	return sum * int64(r.plan.files())
}
