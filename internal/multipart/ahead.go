package multipart

import (
	"fmt"
	"io"
	"slices"
)

// chunk is how much is read where little is expected: headers, short fields,
// and content for callers who ask for less than this. It is larger than a
// delimiter with all its padding.
const chunk = 4 << 10

// maxEmptyReads is how often a body may bring nothing in a row.
const maxEmptyReads = 100

// ahead is the body with what was read of it before it was asked for.
type ahead struct {
	body io.Reader
	buf  []byte
	pos  int   // buf[pos:] is pending
	err  error // of the body, once it has ended
}

func (a *ahead) pending() []byte { return a.buf[a.pos:] }

// drop takes n bytes off the front of what is pending.
func (a *ahead) drop(n int) { a.pos += n }

// keep makes a copy of b all that is pending.
func (a *ahead) keep(b []byte) {
	a.buf = append(a.buf[:0], b...)
	a.pos = 0
}

// fill reads up to a chunk behind what is pending. It has read something if
// it returns no error.
func (a *ahead) fill() error {
	a.buf = a.buf[:copy(a.buf, a.pending())]
	a.pos = 0
	end := len(a.buf)
	a.buf = slices.Grow(a.buf, chunk)
	n, err := a.read(a.buf[end : end+chunk])
	a.buf = a.buf[:end+n]
	return err
}

// read reads from the body into p. It returns bytes or an error, never both:
// an error that came with bytes is for the next call.
func (a *ahead) read(p []byte) (int, error) {
	for range maxEmptyReads {
		if a.err != nil {
			return 0, a.err
		}
		n, err := a.body.Read(p)
		if err == io.EOF {
			err = fmt.Errorf("%w: no closing delimiter: %w", ErrMalformed, io.ErrUnexpectedEOF)
		}
		a.err = err
		if n > 0 {
			return n, nil
		}
	}
	a.err = io.ErrNoProgress
	return 0, a.err
}
