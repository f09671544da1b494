package multipart

import (
	"errors"
	"fmt"
	"io"
	"net/textproto"
)

// errStale is for who reads a part when the walk has gone on.
var errStale = errors.New("part is no longer the current one")

// Part is one entry of a form. It can be read until [Reader.Next] is called
// again.
type Part struct {
	Header textproto.MIMEHeader // never without Content-Disposition

	disposition disposition
	reader      *Reader
}

// FormName returns the name of the field, which may be empty.
func (p *Part) FormName() string { return p.disposition.name }

// FileName returns the name of the file as its sender meant it: with quoting
// undone, and with all else kept, folders and control characters too. It is
// empty for a field, and for a file input in which nobody chose a file.
// Per RFC 7578 §4.2 filename* counts for nothing.
func (p *Part) FileName() string { return p.disposition.filename }

// IsFile reports whether the part has a file name, be it an empty one.
func (p *Part) IsFile() bool { return p.disposition.isFile }

// ContentType returns the part's Content-Type as sent; empty means text/plain
// (RFC 7578 §4.4).
func (p *Part) ContentType() string { return p.Header.Get("Content-Type") }

// Read reads content into b, straight from the body where b has room for 4 KiB.
// It returns [io.EOF] at the delimiter alone: a body that ends before it is an
// [ErrMalformed].
func (p *Part) Read(b []byte) (int, error) {
	r := p.reader
	if r.part != p {
		return 0, errStale
	}
	if len(b) == 0 {
		return 0, nil
	}
	n, err := r.read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("read part %d: %w", r.parts, err)
	}
	return n, err
}

// Value reads a field to its end. It returns [ErrFieldTooLarge] where there
// is more than [Limits.FieldBytes] of it.
func (p *Part) Value() (string, error) {
	limit := p.reader.limits.FieldBytes
	value, err := io.ReadAll(io.LimitReader(p, int64(limit)+1))
	if err != nil {
		return "", err
	}
	if len(value) > limit {
		return "", fmt.Errorf("read part %d: %w: more than %d bytes", p.reader.parts, ErrFieldTooLarge, limit)
	}
	return string(value), nil
}
