package multipart

import (
	"bytes"
	"encoding/binary"
)

var crlf = []byte("\r\n")

// delimiter tells the delimiters of RFC 2046 §5.1.1 from content.
type delimiter struct {
	line []byte // CRLF "--" boundary; its one CR is its first byte
	grams
}

func newDelimiter(boundary string) *delimiter {
	d := &delimiter{line: []byte("\r\n--" + boundary)}
	d.init(d.line)
	return d
}

// kind says what bytes that may be a delimiter turned out to be.
type kind uint8

const (
	none     kind = iota // content
	partial              // a beginning, decided by the bytes to come
	between              // the delimiter before another part
	closing              // the closing delimiter
	overlong             // a delimiter padded beyond maxPadding
)

// mark is what was found behind content.
type mark struct {
	kind kind
	size int // of a delimiter with its padding, without the CRLF behind; else 0
}

// ends reports whether the content before m is complete.
func (m mark) ends() bool { return m.kind >= between }

// scan returns how many bytes at the front of b are content for certain, and
// what follows them. Behind content with no mark nothing is left of b.
func (d *delimiter) scan(b []byte) (content int, m mark) {
	if i, m := d.find(b); i >= 0 {
		return i, m
	}
	tail := max(0, len(b)-len(d.line)+1)
	if i := bytes.LastIndexByte(b[tail:], '\r'); i >= 0 && bytes.HasPrefix(d.line, b[tail+i:]) {
		return tail + i, mark{kind: partial}
	}
	return len(b), mark{}
}

// match tells what b begins with.
func (d *delimiter) match(b []byte) mark {
	switch {
	case bytes.HasPrefix(b, d.line):
		return d.matchTail(b[len(d.line):])
	case bytes.HasPrefix(d.line, b):
		return mark{kind: partial}
	}
	return mark{}
}

// matchTail tells what b makes of the line before it.
func (d *delimiter) matchTail(b []byte) mark {
	padding := blanks(b)
	if padding > maxPadding {
		return mark{kind: overlong}
	}
	switch rest := b[padding:]; {
	case len(rest) == 0, rest[0] == '\r' && len(rest) == 1, b[0] == '-' && len(b) == 1:
		return mark{kind: partial}
	case rest[0] == '\r' && rest[1] == '\n':
		return mark{between, len(d.line) + padding}
	case b[0] == '-' && b[1] == '-':
		return mark{closing, len(d.line) + len("--")}
	}
	return mark{}
}

// blanks returns how many spaces and tabs b begins with.
func blanks(b []byte) int {
	n := 0
	for n+8 <= len(b) && areBlanks(binary.LittleEndian.Uint64(b[n:])) {
		n += 8
	}
	for n < len(b) && (b[n] == ' ' || b[n] == '\t') {
		n++
	}
	return n
}

// areBlanks reports whether eight bytes are all spaces or tabs.
func areBlanks(v uint64) bool {
	const every = 0x0101010101010101
	// Now spaces are 0, and tabs what the two differ in. Which of the two a
	// byte has to be shows in its lowest bit.
	v ^= every * ' '
	return v == (v&every)*(' '^'\t')
}
