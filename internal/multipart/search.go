package multipart

import (
	"bytes"
	"encoding/binary"
)

const (
	gramSize = 4
	slotBits = 12
)

// finder is bytes.Index for one delimiter, at an even speed: bytes.Index looks
// for the first byte, and crawls where the content is full of it.
//
// A finder takes the grams of the delimiter, its runs of four bytes. Of any
// stretch of n successive grams, no two alike, exactly one stands at every nth
// position of the content where the delimiter lies there. So it is enough to
// look at every nth position, and to compare where one of those grams stands.
type finder struct {
	needle []byte
	slots  [1 << slotBits]uint8 // by a gram's hash: its offset in needle, plus 1
	first  int                  // offset of the last gram: where to look first
	stride int                  // how many grams there are
}

// init picks the longest stretch of grams with different hashes.
func (f *finder) init(needle []byte) {
	f.needle = needle
	from := 0
	for at := range len(needle) - gramSize + 1 {
		slot := &f.slots[slotOf(needle[at:])]
		from = max(from, int(*slot))
		*slot = uint8(at + 1)
		if n := at + 1 - from; n > f.stride {
			f.first, f.stride = at, n
		}
	}
	clear(f.slots[:])
	for at := f.first - f.stride + 1; at <= f.first; at++ {
		f.slots[slotOf(needle[at:])] = uint8(at + 1)
	}
}

// index returns where needle first stands in b, or -1. That its occurrences
// cannot overlap makes the one found first the first one.
func (f *finder) index(b []byte) int {
	stride, size := f.stride, len(f.needle)
	head, tail := f.needle[0], f.needle[size-1]
	for i := f.first; i <= len(b)-gramSize; i += stride {
		offset := f.slots[slotOf(b[i:])]
		if offset == 0 {
			continue
		}
		start := i - int(offset) + 1
		if start > len(b)-size {
			return -1
		}
		// Both its ends come first: they spare a call on content made of
		// pieces of the delimiter.
		if b[start] == head && b[start+size-1] == tail && bytes.Equal(b[start:start+size], f.needle) {
			return start
		}
	}
	return -1
}

func slotOf(gram []byte) uint32 {
	const spread = 0x9e3779b1 // 2^32 over the golden ratio
	return binary.LittleEndian.Uint32(gram) * spread >> (32 - slotBits)
}
