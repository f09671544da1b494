package local

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"sync/atomic"
	"time"

	"sluice/internal/blocks"
)

// relay moves a stream through blocks: while one block is drained, the next is
// filled by a goroutine of its own.
type relay struct {
	pool  *blocks.Pool
	max   int // largest block in bytes
	limit int // blocks that one transfer may hold
}

// piece is a part of a stream on its way through a block.
type piece struct {
	data []byte
	// crc is the CRC-64/NVME of the whole content up to the end of data, where
	// the filling side computes it.
	crc uint64
	// whole tells that the stream has no other piece.
	whole bool
}

// fillFunc puts bytes into mem and returns the part of mem that holds them.
// io.EOF, possibly together with bytes, ends the stream; any other error ends
// it too. It should return early once stopped reports true.
type fillFunc func(mem []byte, stopped func() bool) (piece, error)

// drainFunc takes bytes out of a block. Its error ends the relay.
type drainFunc func(piece) error

// load is a filled block on its way to the drain.
type load struct {
	block *blocks.Block
	piece piece
	err   error
}

// spent is a drained block on its way back, with the time that draining took.
type spent struct {
	block *blocks.Block
	took  time.Duration
}

// times is how long the parts of a relay took. Filling and draining overlap.
type times struct{ fill, drain, buffer time.Duration }

// lap adds the time since began to a sum, and returns the time now.
func lap(sum *time.Duration, began time.Time) time.Time {
	now := time.Now()
	*sum += now.Sub(began)
	return now
}

// run moves everything from fill to drain, in order. What fill returned before
// or together with an error is still drained. The error is drain's, else
// fill's, and nil after io.EOF.
func (r relay) run(ctx context.Context, fill fillFunc, drain drainFunc) (times, error) {
	var took times
	fill, drain = guardFill(fill), guardDrain(drain)
	began := time.Now()
	size := newLadder(r.max)
	block, err := r.pool.Get(ctx, size.now)
	began = lap(&took.buffer, began)
	if err != nil {
		return took, err
	}
	first, err := fill(r.part(block), never)
	began = lap(&took.fill, began)
	if err != nil {
		// The whole stream fits into one block: nothing to overlap.
		defer block.Release()
		first.whole = true
		err = outcome(drainSome(drain, first), err)
		lap(&took.drain, began)
		return took, err
	}
	err = r.overlap(ctx, load{block: block, piece: first}, size, fill, drain, &took)
	return took, err
}

// overlap drains on the caller's goroutine what another one fills.
func (r relay) overlap(ctx context.Context, first load, size ladder, fill fillFunc, drain drainFunc, took *times) error {
	p := producer{
		relay: r,
		times: took,
		size:  size,
		held:  1,
		took:  took.fill,
		full:  make(chan load, r.limit),
		empty: make(chan spent, r.limit),
	}
	p.full <- first
	go p.produce(ctx, fill)

	var drainErr, fillErr error
	for l := range p.full {
		began := time.Now()
		if drainErr == nil {
			if drainErr = drainSome(drain, l.piece); drainErr != nil {
				p.stop.Store(true)
			}
		}
		if l.err != nil {
			fillErr = l.err
		}
		ended := lap(&took.drain, began)
		if l.block != nil {
			p.empty <- spent{l.block, ended.Sub(began)}
		}
	}
	// The producer is gone, so every block is here.
	for len(p.empty) > 0 {
		s := <-p.empty
		s.block.Release()
	}
	return outcome(drainErr, fillErr)
}

// producer is the filling side of a relay. Of times it keeps the fill and
// buffer sums, while the draining side keeps its own.
type producer struct {
	relay
	times *times
	size  ladder
	held  int
	took  time.Duration // by the last fill
	full  chan load
	empty chan spent
	stop  atomic.Bool
}

func (p *producer) produce(ctx context.Context, fill fillFunc) {
	defer close(p.full)
	for !p.stop.Load() {
		began := time.Now()
		block, err := p.next(ctx)
		began = lap(&p.times.buffer, began)
		if err != nil {
			p.full <- load{err: err}
			return
		}
		filled, err := fill(p.part(block), p.stop.Load)
		p.took = lap(&p.times.fill, began).Sub(began)
		p.full <- load{block, filled, err}
		if err != nil {
			return
		}
	}
}

// next returns a block to fill: one more while the transfer may hold more and
// the pool has them, else the next one that has been drained. Where filling takes
// long, draining is soon done beside it, and another block would gain nothing.
func (p *producer) next(ctx context.Context) (*blocks.Block, error) {
	if p.held < p.limit && len(p.empty) == 0 && p.took < quickEnough {
		if block := p.pool.TryGet(p.wanted()); block != nil {
			p.held++
			return block, nil
		}
	}
	s := <-p.empty
	if p.took > tooSlow && len(p.empty) > 0 {
		// It was quicker once. Nobody else takes out of empty.
		spare := <-p.empty
		spare.block.Release()
		p.held--
	}
	p.size.observe(max(p.took, s.took))
	return p.resize(ctx, s.block)
}

// part is as much of a block as is filled at a time. The pool lends none smaller
// than blocks.MinSize.
func (r relay) part(block *blocks.Block) []byte { return block.Bytes()[:min(block.Size(), r.max)] }

// wanted is the size that the next block should have, in bytes.
func (p *producer) wanted() int {
	if p.pool.Crowded() {
		return blocks.MinSize
	}
	return p.size.now
}

// resize swaps the block for one of the wanted size, if it can be had.
func (p *producer) resize(ctx context.Context, block *blocks.Block) (*blocks.Block, error) {
	wanted := p.wanted()
	switch {
	case wanted > block.Size():
		larger := p.pool.TryGet(wanted)
		if larger == nil {
			return block, nil
		}
		if larger.Size() <= block.Size() {
			larger.Release()
			return block, nil
		}
		block.Release()
		return larger, nil
	case wanted < block.Size() && block.Size() > blocks.MinSize:
		block.Release()
		return p.pool.Get(ctx, wanted)
	}
	return block, nil
}

// ladder finds the block size that fits a transfer's rate: it starts at the
// bottom, so that slow and small ones cost little, and climbs while blocks go
// through quickly.
type ladder struct{ now, max int }

const (
	ladderStep  = 4
	quickEnough = 100 * time.Millisecond
	tooSlow     = 2 * time.Second
)

func newLadder(limit int) ladder { return ladder{now: min(blocks.MinSize, limit), max: limit} }

// observe takes the time that the slower end took for a block.
func (l *ladder) observe(took time.Duration) {
	switch {
	case took < quickEnough:
		l.now = min(l.now*ladderStep, l.max)
	case took > tooSlow:
		l.now = max(l.now/ladderStep, min(blocks.MinSize, l.max))
	}
}

// guardFill makes a panic of the stream an error: on the goroutine that fills it
// would end the process, and on the caller's lose the block.
func guardFill(fill fillFunc) fillFunc {
	return func(mem []byte, stopped func() bool) (p piece, err error) {
		defer catch(&err)
		return fill(mem, stopped)
	}
}

// guardDrain is guardFill for the other end.
func guardDrain(drain drainFunc) drainFunc {
	return func(p piece) (err error) {
		defer catch(&err)
		return drain(p)
	}
}

// catch is to be deferred.
func catch(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
	}
}

func drainSome(drain drainFunc, p piece) error {
	if len(p.data) == 0 {
		return nil
	}
	return drain(p)
}

// outcome chooses the error to report: a failing drain is the cause of
// whatever the filling side says afterwards.
func outcome(drainErr, fillErr error) error {
	if drainErr != nil {
		return drainErr
	}
	if fillErr == io.EOF {
		return nil
	}
	return fillErr
}

func never() bool { return false }
