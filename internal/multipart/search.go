package multipart

import (
	"bytes"
	"encoding/binary"
)

const (
	gramSize = 4
	slotBits = 12
)

// grams make the search for a delimiter's line run at an even speed:
// bytes.Index looks for the first byte, and crawls where the content is full
// of it.
//
// The grams of a line are its runs of four bytes. Of any stretch of n
// successive grams, no two alike, exactly one stands at every nth position of
// the content where the line lies there. So it is enough to look at every nth
// position, and to compare where one of those grams stands.
type grams struct {
	slots  [1 << slotBits]uint8 // by a gram's hash: its offset in the line, plus 1
	first  int                  // offset of the last gram: where to look first
	stride int                  // how many grams there are
}

// init picks the longest stretch of grams with different hashes.
func (g *grams) init(line []byte) {
	from := 0
	for at := range len(line) - gramSize + 1 {
		slot := &g.slots[slotOf(line[at:])]
		from = max(from, int(*slot))
		*slot = uint8(at + 1)
		if n := at + 1 - from; n > g.stride {
			g.first, g.stride = at, n
		}
	}
	clear(g.slots[:])
	for at := g.first - g.stride + 1; at <= g.first; at++ {
		g.slots[slotOf(line[at:])] = uint8(at + 1)
	}
}

// find returns where a delimiter stands in b, and what it is, or -1. One that
// b ends in is partial. That delimiters cannot overlap makes the one found
// first the first one.
//
// No candidate makes the search start anew: whatever it turns out to be, the
// next place to look at is the same. So the processor looks at places to come
// while it judges one, and content of nothing but candidates costs little more
// than content without any.
func (d *delimiter) find(b []byte) (int, mark) {
	stride, size := d.stride, len(d.line)
	head, tail := d.line[0], d.line[size-1]
	for i := d.first; i <= len(b)-gramSize; i += stride {
		offset := d.slots[slotOf(b[i:])]
		if offset == 0 {
			continue
		}
		start := i - int(offset) + 1
		if start > len(b)-size {
			break
		}
		// What stands behind and both ends come first: few lines that are no
		// delimiter's get further.
		end := start + size
		if end+1 < len(b) && !mayFollow(b[end], b[end+1]) || b[start] != head || b[end-1] != tail {
			continue
		}
		if n := end + blanks(b[end:]); n > end && n-end <= maxPadding && n+1 < len(b) && (b[n] != '\r' || b[n+1] != '\n') {
			continue
		}
		if !bytes.Equal(b[start:end], d.line) {
			continue
		}
		if m := d.matchTail(b[end:]); m.kind != none {
			return start, m
		}
	}
	return -1, mark{}
}

// mayFollow reports whether two bytes may stand behind the line of a
// delimiter: as its hyphens, its line end or its padding.
func mayFollow(c, d byte) bool {
	switch c {
	case '-':
		return d == '-'
	case '\r':
		return d == '\n'
	case ' ', '\t':
		return d == ' ' || d == '\t' || d == '\r'
	}
	return false
}

func slotOf(gram []byte) uint32 {
	const spread = 0x9e3779b1 // 2^32 over the golden ratio
	return binary.LittleEndian.Uint32(gram) * spread >> (32 - slotBits)
}
