package loadtest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"github.com/minio/crc64nvme"
)

// BlockSize is the length in bytes of the blocks that a file is made of, and so
// the largest single write to the socket. BenchmarkWriteSize is why: smaller
// writes cost more processor time per byte, and larger ones gain nothing.
const BlockSize = 1 << 20

// Payload makes the content of any number of files out of one random buffer:
// incompressible, different from file to file, the same again for the same
// seed, and free to generate, because each block of a file is a window into the
// buffer. It is safe for concurrent use.
type Payload struct {
	seed uint64
	base []byte
}

// NewPayload returns the payload that seed stands for.
func NewPayload(seed uint64) *Payload {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	base := make([]byte, 2*BlockSize)
	// ChaCha8.Read never fails.
	_, _ = rand.NewChaCha8(key).Read(base)
	return &Payload{seed: seed, base: base}
}

// File returns the payload's file of that number, cut to size bytes.
func (p *Payload) File(number uint64, size int64) File {
	return File{base: p.base, key: mix(p.seed ^ mix(number)), size: size}
}

// File is the content of one generated file. It holds no bytes of its own.
type File struct {
	base []byte
	key  uint64
	size int64
}

// Size returns the length of the file in bytes.
func (f File) Size() int64 { return f.size }

// At returns the bytes of the file from offset to the end of their block, or of
// the file if that is nearer; nothing at or past its end. The slice belongs to
// the payload and must not be written to.
func (f File) At(offset int64) []byte {
	if offset >= f.size {
		return nil
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
