// Package blocks lends large aligned memory blocks within a budget.
//
// It owns the memory that transfers move bytes through, outside the garbage
// collector's heap where the system allows it, so that memory in use is what is
// lent plus a small reserve, and never more than the budget. It must not know
// what the blocks are used for.
package blocks

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// MinSize is the smallest block in bytes; all sizes are multiples of it.
	MinSize = 64 << 10

	// Align is the alignment of a block's first byte in bytes: a page.
	Align = 4096

	// Clients that stall hold on to what they have; these parts of the budget
	// are what all others then go on with: smallShare of it is for blocks of
	// MinSize alone, and firstShare for those who can't go on without.
	smallShare = 4
	firstShare = 8

	// maxReserve bounds the free memory in bytes that is kept for the next
	// transfer rather than handed back to the system.
	maxReserve = 32 << 20
)

// Pool lends blocks. All methods may be called concurrently.
type Pool struct {
	budget int64

	mu      sync.Mutex
	lent    int64
	kept    int64 // bytes in reserve
	reserve map[int][][]byte
	waiting []chan struct{} // callers that found the budget spent, oldest first
	waits   uint64
	waited  time.Duration
}

// Stats is the state of a pool.
type Stats struct {
	// Lent and Budget are in bytes; Lent never passes Budget.
	Lent, Budget int64
	// Waits counts the calls of Get that had to wait for a block, and Waited is
	// how long all of them have waited.
	Waits  uint64
	Waited time.Duration
}

// New makes a pool that never holds more than budget bytes; a budget below
// MinSize is raised to it.
func New(budget int64) *Pool {
	return &Pool{budget: max(budget, MinSize), reserve: make(map[int][][]byte)}
}

// Block is memory on loan, to be used until Release.
type Block struct {
	pool *Pool
	mem  []byte
}

// Bytes returns the whole block; its first byte is aligned to Align.
func (b *Block) Bytes() []byte { return b.mem }

// Size is the length of the block in bytes.
func (b *Block) Size() int { return len(b.mem) }

// Release gives the block back. It must be called exactly once.
func (b *Block) Release() {
	mem := b.mem
	b.mem = nil
	b.pool.put(mem)
}

// Get lends a block of size bytes, rounded down to a multiple of MinSize. Where
// the budget doesn't hold that much any more it lends a smaller one, and waits
// only when not even MinSize is left. Its errors are the context's and the
// system's refusal of memory.
func (p *Pool) Get(ctx context.Context, size int) (*Block, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Those who wait are served first, or newcomers could starve them.
	for myTurn := len(p.waiting) == 0; ; myTurn = true {
		if fit := p.fit(size, 0); fit > 0 && myTurn {
			return p.take(fit)
		}
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// TryGet is Get for a caller that can go on without: instead of waiting it
// returns nil.
func (p *Pool) TryGet(size int) *Block {
	p.mu.Lock()
	defer p.mu.Unlock()
	fit := p.fit(size, p.budget/firstShare)
	if fit == 0 || len(p.waiting) > 0 {
		return nil
	}
	b, err := p.take(fit)
	if err != nil {
		return nil
	}
	return b
}

// Crowded reports whether the budget is nearly spent, so that those who hold
// large blocks should go on with small ones.
func (p *Pool) Crowded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) > 0 || p.budget-p.lent < p.budget/16
}

// Stats returns the current numbers.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Lent: p.lent, Budget: p.budget, Waits: p.waits, Waited: p.waited}
}

// fit returns the size that can be lent now: size, or what is left after
// halving it until it fits; 0 for none. Of the budget it spares so many bytes.
func (p *Pool) fit(size int, spare int64) int {
	size = max(size/MinSize*MinSize, MinSize)
	for ; size > MinSize; size = size / 2 / MinSize * MinSize {
		if p.lent+int64(size) <= p.budget-p.budget/smallShare {
			return size
		}
	}
	if p.lent+MinSize <= p.budget-spare {
		return MinSize
	}
	return 0
}

// take lends size bytes from the reserve or from the system.
func (p *Pool) take(size int) (*Block, error) {
	if list := p.reserve[size]; len(list) > 0 {
		mem := list[len(list)-1]
		p.reserve[size] = list[:len(list)-1]
		p.kept -= int64(size)
		p.lent += int64(size)
		return &Block{pool: p, mem: mem}, nil
	}
	p.shrink(p.budget - int64(size) - p.lent)
	mem, err := allocate(size)
	if err != nil {
		return nil, fmt.Errorf("allocate block: %w", err)
	}
	p.lent += int64(size)
	return &Block{pool: p, mem: mem}, nil
}

// shrink hands reserve back to the system until at most limit bytes are kept.
func (p *Pool) shrink(limit int64) {
	for size, list := range p.reserve {
		for len(list) > 0 && p.kept > limit {
			free(list[len(list)-1])
			list = list[:len(list)-1]
			p.kept -= int64(size)
		}
		p.reserve[size] = list
	}
}

func (p *Pool) put(mem []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	size := len(mem)
	p.lent -= int64(size)
	if p.kept+int64(size) <= maxReserve {
		p.kept += int64(size)
		p.reserve[size] = append(p.reserve[size], mem)
	} else {
		free(mem)
	}
	p.wake()
}

// wait queues the caller and sleeps without the lock until a block has come
// back. The caller may find it gone again, and wait once more.
func (p *Pool) wait(ctx context.Context) error {
	turn := make(chan struct{})
	p.waiting = append(p.waiting, turn)
	p.waits++
	began := time.Now()
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.waited += time.Since(began)
	}()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		p.giveUp(turn)
		return context.Cause(ctx)
	}
}

// giveUp leaves the queue, and passes a turn that came too late to the next.
func (p *Pool) giveUp(turn chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, turn); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		return
	}
	p.wake()
}

// wake gives the oldest caller in the queue its turn.
func (p *Pool) wake() {
	if len(p.waiting) == 0 {
		return
	}
	close(p.waiting[0])
	p.waiting = slices.Delete(p.waiting, 0, 1)
}
