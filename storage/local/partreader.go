package local

import (
	"os"

	"sluice/internal/blocks"
)

// partReader reads a part past the page cache, which would keep what nobody asks
// for again. A part rarely ends where a block does, so that its bytes have to be
// moved on their way; that is done in memory of its own.
type partReader struct {
	outlet
	pool *blocks.Pool
	size int // of the memory in bytes
	// wanted is the alignment of reads past the page cache.
	wanted int64
	block  *blocks.Block
	rest   []byte
	err    error // behind rest
}

// newPartReader reads what stands in file from off to end.
func (e *engine) newPartReader(file *os.File, mode IO, off, end int64) *partReader {
	r := &partReader{outlet: outlet{file: file, next: off, end: end, align: 1}}
	if e.align > 0 && mode != IOBuffered {
		r.pool, r.size, r.wanted = e.relay.pool, e.relay.max, int64(e.align)
	}
	return r
}

// Read implements io.Reader. The memory is taken when the reader's user has got
// its own, and never waited for; without it, the page cache does.
func (r *partReader) Read(p []byte) (int, error) {
	if r.block == nil && r.pool != nil {
		r.direct()
	}
	if r.block == nil {
		got, err := r.fill(p, never)
		return len(got.data), err
	}
	if len(r.rest) == 0 && r.err == nil {
		var got piece
		got, r.err = r.fill(r.block.Bytes(), never)
		r.rest = got.data
	}
	n := copy(p, r.rest)
	if r.rest = r.rest[n:]; len(r.rest) > 0 {
		return n, nil
	}
	return n, r.err
}

// direct tries, once, to get what reading past the page cache needs.
func (r *partReader) direct() {
	if block := r.pool.TryGet(r.size); block != nil {
		if setDirectFlag(r.file, true) == nil {
			r.block, r.align = block, r.wanted
		} else {
			block.Release()
		}
	}
	r.pool = nil
}

// release gives the memory back.
func (r *partReader) release() {
	if r.block != nil {
		r.block.Release()
	}
}
