package multipart

import (
	"bufio"
	"bytes"
	"fmt"
	"net/textproto"
)

// blankLine ends a header, with the CRLF of the line before.
var blankLine = []byte("\r\n\r\n")

// headerParser parses header blocks; its buffers serve all parts of a form.
type headerParser struct {
	block bytes.Reader
	lines bufio.Reader
}

func (h *headerParser) parse(block []byte) (textproto.MIMEHeader, error) {
	h.block.Reset(block)
	h.lines.Reset(&h.block)
	return textproto.NewReader(&h.lines).ReadMIMEHeader()
}

// readHeader reads the header that makes a part. What is pending begins with
// the CRLF of the delimiter line before, with that of the blank line after.
func (r *Reader) readHeader() (*Part, error) {
	block, err := r.headerBlock()
	if err != nil {
		return nil, err
	}
	if lines := bytes.Count(block, crlf) - 1; lines > r.limits.Headers {
		return nil, fmt.Errorf("%w: %d lines, at most %d allowed", ErrHeaderTooLarge, lines, r.limits.Headers)
	}
	if !endsLinesInCRLF(block) {
		return nil, fmt.Errorf("%w: bare CR or LF in part header", ErrMalformed)
	}
	header, err := r.header.parse(block)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	disposition, err := formDisposition(header)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	r.ahead.drop(len(block))
	return &Part{Header: header, disposition: disposition, reader: r}, nil
}

// headerBlock returns the lines of a part's header and the blank line, out of
// what is pending.
func (r *Reader) headerBlock() ([]byte, error) {
	limit := len(crlf) + r.limits.HeaderBytes
	for searched := 0; ; {
		b := r.ahead.pending()
		b = b[:min(len(b), limit)]
		if i := bytes.Index(b[searched:], blankLine); i >= 0 {
			return b[len(crlf) : searched+i+len(blankLine)], nil
		}
		if len(b) == limit {
			return nil, fmt.Errorf("%w: more than %d bytes", ErrHeaderTooLarge, r.limits.HeaderBytes)
		}
		searched = max(0, len(b)-len(blankLine)+1)
		if err := r.ahead.fill(); err != nil {
			return nil, err
		}
	}
}

func endsLinesInCRLF(block []byte) bool {
	lines := bytes.Count(block, crlf)
	return lines == bytes.Count(block, crlf[:1]) && lines == bytes.Count(block, crlf[1:])
}
