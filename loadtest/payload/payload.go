// Package payload makes the content and the lengths of generated files: seeded,
// so that a run can be repeated; unique, so that no file passes for another;
// and free, because nothing is computed per byte. It knows nothing of the
// protocols that files move by.
//
// A [Source] is safe for concurrent use; [File] and [Sizes] are plain values.
package payload

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"github.com/minio/crc64nvme"
)

const (
	// BlockSize is the length in bytes of the blocks that a file is made of, and
	// so the largest single write to the socket. BenchmarkWriteSize of the load
	// tester is why: smaller writes cost more processor time per byte, and larger
	// ones gain nothing.
	BlockSize = 1 << 20
	// stampSize is the length of what a file begins with: a number that no other
	// file of the same source has. Windows alone would repeat among many small
	// files.
	stampSize = 8
	// grain is the length of the stretches of which a share can be compressed.
	grain = 4 << 10
)

// filler is what can be compressed.
const filler = "the quick brown fox jumps over the lazy dog. "

// Source makes the content of any number of files out of one random buffer:
// different from file to file, the same again for the same seed, and free to
// generate, because each block of a file is a window into the buffer.
type Source struct {
	seed uint64
	base []byte
}

// New returns the source that seed stands for. Compressible is the share of its
// content, from 0 to 1, that is repeated text; the rest can't be compressed.
func New(seed uint64, compressible float64) *Source {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	base := make([]byte, 2*BlockSize)
	// ChaCha8.Read never fails.
	_, _ = rand.NewChaCha8(key).Read(base)
	text := bytes.Repeat([]byte(filler), grain/len(filler)+1)[:int(compressible*grain)]
	for at := 0; at < len(base); at += grain {
		copy(base[at:], text)
	}
	return &Source{seed: seed, base: base}
}

// File returns the file of that number, size bytes long.
func (s *Source) File(number uint64, size int64) File {
	return File{base: s.base, key: mix(s.seed ^ mix(number)), size: size}
}

// Draw returns a number from 0 up to 1 that the seed, the number of a file and a
// purpose stand for, evenly spread over each of them.
func (s *Source) Draw(number, purpose uint64) float64 {
	return float64(mix(^s.seed^mix(number^mix(purpose)))>>11) / (1 << 53)
}

// File is the content of one generated file. It holds no bytes of its own.
type File struct {
	base []byte
	key  uint64
	size int64
}

// Size returns the length of the file in bytes.
func (f File) Size() int64 { return f.size }

// WithSize returns the file cut or lengthened to size bytes.
func (f File) WithSize(size int64) File {
	f.size = size
	return f
}

// At returns the bytes of the file from offset to the end of their block, or of
// the file if that is nearer, and at least one; nothing at or past its end. They
// must not be written to.
func (f File) At(offset int64) []byte {
	if offset >= f.size {
		return nil
	}
	if offset < stampSize {
		stamp := binary.BigEndian.AppendUint64(nil, f.key)
		return stamp[offset:min(stampSize, f.size)]
	}
	start := offset % BlockSize
	end := min(BlockSize, start+f.size-offset)
	window := int64(mix(f.key+uint64(offset/BlockSize)) % BlockSize)
	return f.base[window+start : window+end]
}

// Mismatch compares got with the bytes of the file from offset on, and returns
// the offset in the file of the first one that differs or that the file does
// not have, -1 if there is none.
func (f File) Mismatch(offset int64, got []byte) int64 {
	for len(got) > 0 {
		want := f.At(offset)
		n := min(len(want), len(got))
		if n == 0 {
			return offset
		}
		if !bytes.Equal(want[:n], got[:n]) {
			return offset + int64(firstDifference(want[:n], got[:n]))
		}
		offset += int64(n)
		got = got[n:]
	}
	return -1
}

// CRC64 returns the CRC-64/NVME of the whole file.
func (f File) CRC64() uint64 {
	var sum uint64
	for offset := int64(0); offset < f.size; {
		block := f.At(offset)
		sum = crc64nvme.Update(sum, block)
		offset += int64(len(block))
	}
	return sum
}

// firstDifference returns the index at which a and b, which are of one length
// and not equal, first differ.
func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}

// mix is the finaliser of SplitMix64: a bijection that spreads neighbouring
// numbers over the whole range.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
