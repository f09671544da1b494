package framing

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/textproto"
)

// Reader passes on the bytes of a connection as long as they are well-framed
// requests. Empty lines before a request (RFC 9112 section 2.2) and trailers,
// which [Reader.Trailer] tells instead, are left out. Of a head with a fault one byte is passed
// on at least, so that who waits for requests learns that one was to come.
//
// A Reader belongs to one goroutine at a time.
type Reader struct {
	src     io.Reader
	maxHead int
	step    step
	left    int64   // of the body, or of a chunk's data, in bytes
	head    []byte  // the beginning of a head that comes in pieces
	chunks  chunked // the framing of the body, if it is chunked
	// trailers are those of the last chunked body that has ended.
	trailers []byte
	err      error // the fault; nothing is read after it
}

// step is what the next byte belongs to.
type step int

const (
	between step = iota // a request that begins, or an empty line before it
	inHead
	inBody
	inChunks // framing of a chunked body
	inData   // content of a chunk
)

// NewReader returns a reader of src that takes heads of up to maxHead bytes.
func NewReader(src io.Reader, maxHead int) *Reader {
	return &Reader{src: src, maxHead: maxHead}
}

// Read implements io.Reader. It fails with one of the package's errors once all
// that came before the fault has been read.
func (r *Reader) Read(p []byte) (int, error) {
	for r.err == nil {
		n, err := r.src.Read(p)
		n = r.follow(p[:n])
		if r.err != nil && n > 0 {
			return n, nil
		}
		if r.err == nil && (n > 0 || err != nil || len(p) == 0) {
			return n, err
		}
	}
	return 0, r.err
}

// Fault returns the error that ends the input, once what came before it has been
// read; nil so far.
func (r *Reader) Fault() error { return r.err }

// Left returns how many bytes of a body, or of a chunk's data, are sure to come
// next, 0 where something else does.
func (r *Reader) Left() int64 {
	if r.step == inBody || r.step == inData {
		return r.left
	}
	return 0
}

// Trailer returns the value of a field that came behind the last chunked body,
// to be asked for once that has been read to its end (RFC 9110 section 6.5).
func (r *Reader) Trailer(name string) string {
	lines := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(r.trailers, "\r\n"...))))
	fields, err := lines.ReadMIMEHeader()
	if err != nil {
		return "" // a field that net/textproto doesn't take
	}
	return fields.Get(name)
}

// follow moves on by what has been read and returns how much of it is to be
// passed on, which it has moved to the front of p.
func (r *Reader) follow(p []byte) (passed int) {
	for at := 0; at < len(p) && r.err == nil; {
		n, pass, err := r.next(p[at:])
		if pass {
			if passed < at { // something before it was left out
				copy(p[passed:], p[at:at+n])
			}
			passed += n
		}
		at += n
		r.err = err
	}
	return passed
}

// next takes bytes from the front of p, at least one unless it fails, and says
// whether they are passed on.
func (r *Reader) next(p []byte) (n int, pass bool, err error) {
	switch r.step {
	case between:
		if p[0] == '\r' || p[0] == '\n' {
			return 1, false, nil
		}
		r.step = inHead
		return r.nextOfHead(p)
	case inHead:
		return r.nextOfHead(p)
	case inChunks:
		return r.nextOfChunks(p)
	}
	n = int(min(r.left, int64(len(p))))
	if r.left -= int64(n); r.left == 0 {
		if r.step == inBody {
			r.step = between
		} else {
			r.step = inChunks
		}
	}
	return n, true, nil
}

// nextOfHead takes the head's bytes, and checks it once it is complete. Most
// heads come in one piece and are checked where they lie.
func (r *Reader) nextOfHead(p []byte) (n int, pass bool, err error) {
	before := len(r.head)
	b := p[:min(len(p), r.maxHead-before)]
	if before > 0 {
		r.head = append(r.head, b...)
		b = r.head
	}
	end, err := endOfHead(b)
	if err == nil && end == 0 && len(b) == r.maxHead {
		err = tooLarge(b)
	}
	var h head
	if err == nil && end > 0 {
		h, err = parseHead(b[:end])
	}
	switch {
	case err != nil && before == 0:
		return 1, true, err
	case err != nil:
		return 0, false, err
	case end > 0:
		r.begin(h)
		return end - before, true, nil
	case before == 0:
		r.head = bytes.Clone(p)
	}
	return len(p), true, nil
}

// begin goes on with what follows a head.
func (r *Reader) begin(h head) {
	r.head = nil
	switch {
	case h.length == chunkedLength:
		r.step, r.chunks = inChunks, chunked{maxTrailer: r.maxHead}
	case h.length > 0:
		r.step, r.left = inBody, h.length
	default:
		r.step = between
	}
}

// nextOfChunks takes one byte of a chunked body's framing.
func (r *Reader) nextOfChunks(p []byte) (n int, pass bool, err error) {
	pass, err = r.chunks.next(p[0])
	switch {
	case r.chunks.step == chunkData:
		r.step, r.left = inData, r.chunks.size
		r.chunks.step = dataEnd
	case r.chunks.step == chunksDone:
		r.step, r.trailers = between, r.chunks.trailers
	}
	return 1, pass && err == nil, err
}

// endOfHead finds the end of a head: behind its first empty line, or 0 where
// that is still to come. Every line has to end in CRLF: what takes a bare LF
// for an end of line sees another request here than what doesn't.
func endOfHead(b []byte) (int, error) {
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return 0, nil
		}
		if n == 0 || b[i+n-1] != '\r' {
			return 0, malformed("line ends without CRLF")
		}
		i += n + 1
		if n == 1 {
			return i, nil
		}
	}
}

// tooLarge tells what makes a head too large, of which b is as much as may be.
func tooLarge(b []byte) error {
	if bytes.IndexByte(b, '\n') < 0 {
		return fmt.Errorf("%w: more than %d bytes", ErrTargetTooLong, len(b))
	}
	return fmt.Errorf("%w: more than %d bytes", ErrHeadTooLarge, len(b))
}

func malformed(what string) error { return fmt.Errorf("%w: %s", ErrMalformed, what) }

func expect(got, want byte) error {
	if got != want {
		return malformed(fmt.Sprintf("%q where %q has to stand", got, want))
	}
	return nil
}
