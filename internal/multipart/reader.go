package multipart

import (
	"fmt"
	"io"
)

// firstRead bounds what is read straight into the caller's memory at the
// beginning of a part, in bytes.
const firstRead = 64 << 10

// Reader walks over the parts of a form.
type Reader struct {
	ahead  ahead
	delim  *delimiter
	limits Limits
	header headerParser

	ready int   // pending bytes known to be content of the current part
	mark  mark  // what stands behind them
	got   int64 // bytes of the current part taken so far

	part  *Part // the current one; nil in the preamble and after an error
	parts int
	err   error // what ended the walk
}

// NewReader returns a Reader of the form in body. The boundary is what
// [Boundary] returned; any other may be an [ErrBoundary].
func NewReader(body io.Reader, boundary string, limits Limits) (*Reader, error) {
	if err := checkBoundary(boundary); err != nil {
		return nil, err
	}
	r := &Reader{
		ahead:  ahead{body: body},
		delim:  newDelimiter(boundary),
		limits: limits.WithDefaults(),
	}
	// The first delimiter needs no line before it: lend it a CRLF, which is no
	// part of the preamble.
	r.ahead.keep(crlf)
	r.scan()
	r.got = -int64(len(crlf))
	return r, nil
}

// Next skips what is left of the current part and returns the next one. It
// returns [io.EOF] once the closing delimiter was seen; what stands behind
// that in the body is left to the caller. Any error ends the walk.
func (r *Reader) Next() (*Part, error) {
	if r.err != nil {
		return nil, r.err
	}
	r.part, r.err = r.next()
	return r.part, r.err
}

func (r *Reader) next() (*Part, error) {
	if err := r.skip(); err != nil {
		return nil, fmt.Errorf("find next part: %w", err)
	}
	if r.mark.kind == closing {
		if r.parts == 0 {
			return nil, fmt.Errorf("find first part: %w: closed without a part", ErrMalformed)
		}
		return nil, io.EOF
	}
	if r.parts == r.limits.Parts {
		return nil, fmt.Errorf("%w: more than %d", ErrTooManyParts, r.limits.Parts)
	}
	r.parts++
	r.ahead.drop(r.mark.size)
	part, err := r.open()
	if err != nil {
		return nil, fmt.Errorf("open part %d: %w", r.parts, err)
	}
	return part, nil
}

// skip passes over the rest of the current part, or over the preamble.
func (r *Reader) skip() error {
	for {
		r.take(r.ready)
		if r.parts == 0 && r.got > maxPreamble {
			return fmt.Errorf("%w: no delimiter in the first %d bytes", ErrMalformed, maxPreamble)
		}
		if err := r.end(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := r.more(); err != nil {
			return err
		}
	}
}

// open reads a part's header and stops at its content. What is pending begins
// with the CRLF of the delimiter line, and then of the blank line: that one
// may be the next delimiter's own, for a part may be nothing but its header
// (RFC 2046 §5.1.1, body-part).
func (r *Reader) open() (*Part, error) {
	part, err := r.readHeader()
	if err != nil {
		return nil, err
	}
	r.ready, r.got = 0, 0
	for {
		r.mark = r.delim.match(r.ahead.pending())
		if r.mark.ends() {
			return part, nil
		}
		if r.mark.kind == none || r.ahead.fill() != nil {
			break
		}
	}
	r.ahead.drop(len(crlf))
	r.scan()
	return part, nil
}

// read reads content of the current part into p.
func (r *Reader) read(p []byte) (int, error) {
	for r.ready == 0 {
		if err := r.end(); err != nil {
			return 0, err
		}
		if len(p) >= chunk {
			if n, err := r.readStraight(p); n > 0 || err != nil {
				return n, err
			}
		} else if err := r.more(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.ahead.pending()[:r.ready])
	r.take(n)
	return n, nil
}

// readStraight reads from the body into p and scans it there. What is pending
// is at most the beginning of a delimiter, which goes first; what is not
// content is pending afterwards.
func (r *Reader) readStraight(p []byte) (int, error) {
	p = p[:min(int64(len(p)), max(firstRead, r.got))]
	held := copy(p, r.ahead.pending())
	n, err := r.ahead.read(p[held:])
	if err != nil {
		return 0, err
	}
	p = p[:held+n]
	n, r.mark = r.delim.scan(p)
	r.ahead.keep(p[n:])
	r.got += int64(n)
	return n, nil
}

// more reads on where no pending byte is known to be content.
func (r *Reader) more() error {
	if err := r.ahead.fill(); err != nil {
		return err
	}
	r.scan()
	return nil
}

func (r *Reader) scan() {
	r.ready, r.mark = r.delim.scan(r.ahead.pending())
}

func (r *Reader) take(n int) {
	r.ahead.drop(n)
	r.ready -= n
	r.got += int64(n)
}

// end returns io.EOF where the ready bytes are the last of the current part.
func (r *Reader) end() error {
	switch {
	case r.mark.kind == overlong:
		return fmt.Errorf("%w: delimiter followed by more than %d blanks", ErrMalformed, maxPadding)
	case r.mark.ends():
		return io.EOF
	}
	return nil
}
