package local

import (
	"hash"
	"time"

	"sluice/storage"
)

// digests computes of a content what its sender has named, piece by piece. A
// nil one computes nothing.
type digests struct {
	expected []storage.Digest
	hashes   map[string]hash.Hash // by algorithm; the CRC is the engine's
	spent    time.Duration
}

func newDigests(expected []storage.Digest) *digests {
	if len(expected) == 0 {
		return nil
	}
	d := &digests{expected: expected, hashes: make(map[string]hash.Hash)}
	for _, e := range expected {
		if h := storage.NewHash(e.Algorithm); h != nil && e.Algorithm != storage.CRC64NVME {
			d.hashes[e.Algorithm] = h
		}
	}
	return d
}

// add takes a piece in while its caller writes it to the disk and the next one
// arrives. The piece must stay as it is until wait returns.
func (d *digests) add(p piece) (wait func()) {
	switch {
	case d == nil || len(d.hashes) == 0:
		return func() {}
	case p.whole: // too small to gain from a second goroutine
		d.update(p.data)
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.update(p.data)
	}()
	return func() { <-done }
}

func (d *digests) update(data []byte) {
	began := time.Now()
	for _, h := range d.hashes {
		h.Write(data) // never fails
	}
	lap(&d.spent, began)
}

// took is how long computing took so far.
func (d *digests) took() time.Duration {
	if d == nil {
		return 0
	}
	return d.spent
}

// check compares the digests of the whole content with those expected.
func (d *digests) check(crc uint64) error {
	if d == nil {
		return nil
	}
	for _, expected := range d.expected {
		actual := storage.NewCRC64NVME(crc)
		if h := d.hashes[expected.Algorithm]; h != nil {
			actual = storage.Digest{Algorithm: expected.Algorithm, Sum: string(h.Sum(nil))}
		}
		if actual != expected {
			return &storage.DigestError{Expected: expected, Actual: actual}
		}
	}
	return nil
}
