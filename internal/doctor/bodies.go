package doctor

import (
	"bytes"
	"context"
	"io"
	"time"
)

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// held is a body whose rest is held back until it is released, if ever.
type held struct {
	ctx     context.Context
	first   *bytes.Reader
	release <-chan struct{}
	rest    io.Reader
}

func (h *held) Read(p []byte) (int, error) {
	if h.first.Len() > 0 {
		return h.first.Read(p)
	}
	select {
	case <-h.release:
		return h.rest.Read(p)
	case <-h.ctx.Done():
		return 0, h.ctx.Err()
	}
}

// dripping is a body without end that gives a piece at a time.
type dripping struct {
	ctx   context.Context
	piece int // bytes
	every time.Duration
}

func (d *dripping) Read(p []byte) (int, error) {
	select {
	case <-time.After(d.every):
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
	n := min(d.piece, len(p))
	clear(p[:n])
	return n, nil
}

// timed ends when it is empty or its time is over.
type timed struct {
	left int64
	end  time.Time
}

func (t *timed) Read(p []byte) (int, error) {
	if t.left == 0 || time.Now().After(t.end) {
		return 0, io.EOF
	}
	n := min(int64(len(p)), t.left)
	clear(p[:n])
	t.left -= n
	return int(n), nil
}
