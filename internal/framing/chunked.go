package framing

import (
	"fmt"
	"strings"
)

// chunked follows the framing of a chunked body (RFC 9112 section 7.1), byte by
// byte, but for the content, which lies between chunkData and dataEnd.
type chunked struct {
	step       chunkStep
	size       int64
	digits     int
	excess     int64 // bytes of framing beyond what the content explains
	trailers   []byte
	maxTrailer int
}

type chunkStep int

const (
	chunkSize    chunkStep = iota
	chunkExt               // an extension, up to its CR
	sizeEnd                // LF behind the size
	chunkData              // content comes next
	dataEnd                // CR behind the content
	dataEndLF              // and LF
	trailerStart           // a trailer's name, or the last empty line
	trailerName
	trailerValue
	trailerEnd // LF behind a trailer
	lastEnd    // LF of the last empty line
	chunksDone
)

const (
	// maxDigits keeps sizes far from overflowing.
	maxDigits = 15
	// A chunk may take perChunk bytes of framing and twice its size, and all
	// chunks together maxExcess more: extensions are no way to send without end
	// what nobody counts.
	perChunk  = 16
	maxExcess = 2 << 10
)

// next takes one byte and says whether it is passed on.
func (c *chunked) next(b byte) (pass bool, err error) {
	switch c.step {
	case chunkSize, chunkExt, sizeEnd:
		return true, c.nextOfSize(b)
	case dataEnd:
		c.step = dataEndLF
		return true, expect(b, '\r')
	case dataEndLF:
		c.step, c.size, c.digits = chunkSize, 0, 0
		return true, expect(b, '\n')
	case lastEnd:
		c.step = chunksDone
		return true, expect(b, '\n')
	case trailerStart:
		if b == '\r' {
			c.step = lastEnd
			return true, nil
		}
	}
	if c.trailers = append(c.trailers, b); len(c.trailers) > c.maxTrailer {
		return false, fmt.Errorf("%w: more than %d bytes of trailers", ErrHeadTooLarge, c.maxTrailer)
	}
	return false, c.nextOfTrailer(b)
}

// nextOfSize takes a byte of the line before a chunk's data.
func (c *chunked) nextOfSize(b byte) error {
	if c.excess++; c.excess > maxExcess {
		return malformed("chunk extensions without end")
	}
	switch digit := strings.IndexByte("0123456789abcdef", lower(b)); {
	case c.step == sizeEnd:
		c.sized()
		return expect(b, '\n')
	case c.step == chunkSize && digit >= 0:
		c.size = c.size<<4 | int64(digit)
		if c.digits++; c.digits > maxDigits {
			return malformed("chunk size too large")
		}
		return nil
	case c.digits == 0:
		return malformed("chunk without a size")
	case b == '\r':
		c.step = sizeEnd
		return nil
	case c.step == chunkSize && b == ';':
		c.step = chunkExt
		return nil
	case c.step == chunkExt && value[b]:
		return nil
	}
	return malformed(fmt.Sprintf("%q behind a chunk's size", b))
}

// sized goes on with what follows the size's line.
func (c *chunked) sized() {
	c.excess = max(c.excess-perChunk-2*c.size, 0)
	c.step = chunkData
	if c.size == 0 {
		c.step = trailerStart
	}
}

// nextOfTrailer takes a byte of a trailer field.
func (c *chunked) nextOfTrailer(b byte) error {
	switch {
	case c.step == trailerEnd:
		c.step = trailerStart
		return expect(b, '\n')
	case c.step == trailerName && b == ':':
		c.step = trailerValue
	case c.step == trailerValue && b == '\r':
		c.step = trailerEnd
	case c.step != trailerValue && token[b]:
		c.step = trailerName
	case c.step != trailerValue || !value[b]:
		return malformed(fmt.Sprintf("%q in a trailer", b))
	}
	return nil
}
