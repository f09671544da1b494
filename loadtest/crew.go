package loadtest

import (
	"context"
	"errors"
	"sync"
	"time"

	"sluice/loadtest/pace"
	"sluice/loadtest/record"
)

const (
	// unsettled is how many transfers of a stream may wait for what comes after
	// the timed section: few enough to need little memory, and enough for none of
	// it to fall into the repeats of large files.
	unsettled = 256
	// afterFailure is how long a stream rests that could not connect, or else it
	// would do little but fail.
	afterFailure = 100 * time.Millisecond
)

// crew is the workers of one repeat.
type crew struct {
	*runner
	ctx    context.Context
	signal chan struct{} // closed to start
	ended  chan struct{} // closed when all that is measured has been
	start  time.Time     // when that was
	silent bool          // only failures are written

	mu    sync.Mutex
	row   *record.Repeat
	fault error // the first row that was lost
}

func (r *runner) newCrew(ctx context.Context, row *record.Repeat) *crew {
	return &crew{runner: r, ctx: ctx, row: row, signal: make(chan struct{}), ended: make(chan struct{})}
}

// work does all transfers of the repeat, from one start signal on, and takes
// down in the row what that took.
func (c *crew) work() error {
	lead := c.byStreams
	if c.plan.Rate > 0 {
		lead = c.byRate
	}
	ready := make(chan struct{})
	finished := make(chan struct{})
	var settled sync.WaitGroup
	settled.Go(func() { lead(ready, finished) })
	<-ready
	if c.plan.Gate != nil {
		c.plan.Gate(c.ctx)
	}
	before, err := readUsage(c.plan.PIDs)
	c.start = time.Now()
	c.row.Start = c.start.Sub(c.began).Seconds()
	endSeconds := func() error { return nil }
	if !c.silent {
		endSeconds = c.watch(c.row, c.start, before).end
	}
	close(c.signal)
	<-finished
	c.row.Seconds = time.Since(c.start).Seconds()
	err = errors.Join(err, endSeconds(), c.use(c.row, before))
	close(c.ended)
	settled.Wait()
	return errors.Join(err, c.fault)
}

// byStreams is the closed model: each stream begins a transfer when its last one
// has ended.
func (c *crew) byStreams(ready, finished chan<- struct{}) {
	var connected, moving, settling sync.WaitGroup
	connected.Add(c.plan.Streams)
	for stream := range c.plan.Streams {
		moving.Add(1)
		settling.Go(func() {
			w := c.worker(stream)
			defer w.rest()
			defer moving.Done()
			w.connect()
			connected.Done()
			<-c.signal
			if !c.until(pace.Joins(stream, c.plan.Streams, c.plan.Ramp)) {
				return
			}
			for index := 0; c.goesOn(index); index++ {
				w.move(order{stream: stream, index: index, due: -1})
			}
		})
	}
	connected.Wait()
	close(ready)
	moving.Wait()
	close(finished)
	settling.Wait()
}

// goesOn says whether a stream begins its transfer of that index.
func (c *crew) goesOn(index int) bool {
	switch {
	case c.ctx.Err() != nil:
		return false
	case c.plan.Duration > 0:
		return time.Since(c.start) < c.plan.Duration
	default:
		return index < c.plan.files()
	}
}

// byRate is the open model: transfers begin when they are due, whether or not
// others have ended, as long as there are workers. What is due while there is
// none begins late, and its lateness counts.
func (c *crew) byRate(ready, finished chan<- struct{}) {
	close(ready)
	<-c.signal
	var moving, settling sync.WaitGroup
	orders := make(chan order)
	workers := 0
	hire := func(first order) {
		stream := workers
		workers++
		moving.Add(1)
		settling.Go(func() {
			w := c.worker(stream)
			defer w.rest()
			defer moving.Done()
			for o, more := first, true; more; o, more = <-orders {
				w.move(o)
			}
		})
	}
	arrivals := pace.Arrivals{Rate: c.plan.Rate, Ramp: c.plan.Ramp}
	for number := range c.arrivals(arrivals) {
		o := order{index: int(number), due: arrivals.Due(number)}
		if !c.until(o.due) {
			break
		}
		select {
		case orders <- o:
			continue
		default:
		}
		if workers < c.plan.Streams {
			hire(o)
			continue
		}
		c.row.Bounded++
		select {
		case orders <- o:
		case <-c.ctx.Done():
		}
	}
	close(orders)
	moving.Wait()
	close(finished)
	settling.Wait()
}

// arrivals returns the number of transfers that are due in the repeat.
func (c *crew) arrivals(a pace.Arrivals) int64 {
	if c.plan.Duration > 0 {
		return a.Within(c.plan.Duration)
	}
	return int64(c.plan.files())
}

// until waits until so long after the start signal. It is false if the run has
// been broken off.
func (c *crew) until(d time.Duration) bool {
	left := time.Until(c.start.Add(d))
	if left <= 0 {
		return c.ctx.Err() == nil
	}
	return sleep(c.ctx, left)
}

// sleep is false if ctx has ended meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// worker moves the files of one stream.
type worker struct {
	*crew
	stream   int
	sequence int
	session  *session
	buffer   []byte
	pending  []*job // that are not settled
}

func (c *crew) worker(stream int) *worker {
	return &worker{crew: c, stream: stream, session: c.measuredSession(c.ctx)}
}

// connect makes the connection before the start signal. Where that fails, the
// transfers tell.
func (w *worker) connect() {
	if !w.session.closing {
		_ = w.session.connect(w.target, &tally{})
	}
}

// receiveInto returns the memory that the stream receives through.
func (w *worker) receiveInto() []byte {
	if w.buffer == nil {
		w.buffer = make([]byte, receiveBuffer(w.plan.Streams))
	}
	return w.buffer
}

// move makes one transfer.
func (w *worker) move(o order) {
	j := w.newJob(o)
	j.buffer = w.receiveInto
	j.row.Stream, j.row.Sequence = w.stream, w.sequence
	w.sequence++
	if len(w.prepared) > 0 {
		j.object = w.prepared[(o.index*w.plan.Streams+o.stream)%len(w.prepared)]
	}
	start := time.Now()
	j.row.Start = start.Sub(w.start).Seconds()
	j.row.Due = j.row.Start
	if o.due >= 0 {
		j.row.Due = o.due.Seconds()
	}
	w.meter.Started.Add(1)
	j.err = w.scenario.run(w.session, j)
	j.time(start)
	if j.err != nil {
		w.session.close()
		w.meter.Failed.Add(1)
	}
	w.meter.Finished.Add(1)
	w.made.add(j)
	w.pending = append(w.pending, j)
	if len(w.pending) == unsettled {
		w.settle()
	}
	if j.err != nil && asError(j.err).Kind == record.KindConnect && w.plan.Duration > 0 {
		sleep(w.ctx, afterFailure)
	}
}

// rest ends the worker. What is left to do comes after what is measured.
func (w *worker) rest() {
	<-w.ended
	w.settle()
	w.session.close()
}

// settle checks what is left to check of the transfers that have ended, and
// writes their rows.
func (w *worker) settle() {
	s := w.runner.session(w.ctx)
	defer s.close()
	for _, j := range w.pending {
		if w.ctx.Err() != nil && j.err != nil {
			continue // it was broken off, which is nobody's fault
		}
		j.row.Pair, j.row.Repeat = w.row.Pair, w.row.Repeat
		j.row.Size, j.row.Bytes = j.file.Size(), j.tally.bytes-j.resent
		if j.err == nil && w.ctx.Err() == nil {
			if j.err = w.verify(s, j); j.err != nil {
				w.meter.Failed.Add(1)
			}
		}
		if j.err != nil {
			j.row.Error = asError(j.err)
		}
		w.count(j)
	}
	w.pending = w.pending[:0]
}

// verify checks a transfer after its time.
func (w *worker) verify(s *session, j *job) error {
	if err := j.checkDigest(); err != nil {
		return err
	}
	if !w.plan.ReadBack || j.row.Direction == record.Down || len(j.left) == 0 {
		return nil
	}
	again := want{object: j.left[len(j.left)-1], to: j.file.Size()}
	again.check = again.compare()
	back := &job{target: j.target, buffer: w.receiveInto, row: &record.Transfer{}}
	if err := s.download(again, back); err != nil {
		e := *asError(err)
		e.Detail = "read back: " + e.Detail
		return &e
	}
	j.row.Checked = record.CheckedContent
	return nil
}

// count adds a transfer to those of the repeat and writes its row.
func (c *crew) count(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.row.Transfers++
	if j.err == nil {
		c.row.Bytes += j.row.Bytes
	} else {
		c.row.Failed++
	}
	if c.silent && j.err == nil {
		return
	}
	if err := c.sink.Write(j.row); c.fault == nil {
		c.fault = err
	}
}
