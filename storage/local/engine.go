package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/minio/crc64nvme"

	"sluice/storage"
)

// engine moves streams into files and files into streams.
type engine struct {
	relay relay
	align int // of direct I/O in bytes; 0 where there is none
	stats *Stats
	// observer is told of each write and of faults.
	observer Observer
	// maps holds a place for each download that may map a window of its file:
	// though the pages are the page cache's own, they count as the program's.
	maps chan struct{}
}

// maxMaps bounds the downloads that map at once.
const maxMaps = 16

// Stats counts bytes between memory and disk by the path they took.
type Stats struct {
	WrittenDirect, WrittenBuffered atomic.Int64
	ReadDirect, ReadBuffered       atomic.Int64
}

// position is how far a content has been stored, and the CRC-64/NVME of what
// is stored.
type position struct {
	offset int64
	crc    uint64
}

// receive appends src to file at pos until io.EOF, and adds to stages where the
// time went. The position it returns is right with an error too: all before it
// is in the file. Limit is the size that must not be passed, or
// storage.UnknownSize. After each block, kept is told how far the file has come;
// its error ends the transfer, and the block doesn't count.
func (e *engine) receive(ctx context.Context, file *diskFile, src io.Reader, pos position, limit int64,
	stages *storage.Stages, kept func(position) error,
) (position, error) {
	in := intake{src: src, position: pos, limit: limit, align: max(int64(e.align), 1)}
	took, err := e.relay.run(ctx, in.fill, func(p piece) error {
		digested := file.digests.add(p)
		began := time.Now()
		err := file.writePiece(p, pos.offset)
		lap(&stages.Disk, began)
		digested()
		if err != nil {
			return err
		}
		began = time.Now()
		next := position{pos.offset + int64(len(p.data)), p.crc}
		err = kept(next)
		lap(&stages.Sync, began)
		if err != nil {
			return err
		}
		pos = next
		return nil
	})
	stages.Socket += took.fill - in.digest
	stages.Digest += in.digest
	stages.Buffer += took.buffer
	return pos, err
}

// intake fills blocks from a stream.
type intake struct {
	src      io.Reader
	position       // of the next byte to come
	limit    int64 // offset that must not be passed
	align    int64
	digest   time.Duration // spent on checksums
}

// fill reads until the block is full, straight into it. The bytes begin as far
// behind an aligned address as their file offset is behind an aligned one, so
// that after the first block every write starts aligned in both.
func (in *intake) fill(mem []byte, stopped func() bool) (piece, error) {
	mem = mem[in.offset%in.align:]
	n, err := readFull(in.read, mem, stopped)
	return piece{data: mem[:n], crc: in.crc}, err
}

// digestSlice is how much is read before the digest takes it in: so little that
// the processor's second cache still holds it.
const digestSlice = 512 << 10

// read is the stream's Read up to the limit. It adds what comes to the digest at
// once.
func (in *intake) read(p []byte) (int, error) {
	n, err := in.src.Read(p[:min(len(p), digestSlice)])
	if in.limit != storage.UnknownSize && int64(n) > in.limit-in.offset {
		over := int64(n) - (in.limit - in.offset)
		n, err = n-int(over), fmt.Errorf("%w: by at least %d bytes", storage.ErrSizeExceeded, over)
	}
	began := time.Now()
	in.crc = crc64nvme.Update(in.crc, p[:n])
	in.offset += int64(n)
	lap(&in.digest, began)
	return n, err
}

// maxEmptyReads is how often in a row a stream may give neither bytes nor an
// error.
const maxEmptyReads = 100

// readFull is io.ReadFull that keeps the stream's own error, which tells a
// clean end from a broken one, and ends early once stopped reports true.
func readFull(read func([]byte) (int, error), p []byte, stopped func() bool) (n int, err error) {
	for empty := 0; n < len(p) && err == nil; {
		if stopped() {
			return n, context.Canceled
		}
		var m int
		m, err = read(p[n:])
		n += m
		if m > 0 {
			empty = 0
		} else if empty++; empty == maxEmptyReads && err == nil {
			err = io.ErrNoProgress
		}
	}
	return n, err
}

// diskFile writes to a file by direct I/O where the bytes are aligned, and
// through the page cache where they aren't.
type diskFile struct {
	*os.File
	align    int // 0: page cache only
	isDirect bool
	stats    *Stats
	observer Observer
	digests  *digests // of what is written, beside the CRC; nil for none
}

// newDiskFile wraps a file that was opened for buffered writing.
func (e *engine) newDiskFile(file *os.File, mode IO) *diskFile {
	f := &diskFile{File: file, stats: e.stats, observer: e.observer}
	if mode != IOBuffered {
		f.align = e.align
	}
	return f
}

// writePiece writes a piece at off. One that is all there is is too small for
// direct I/O to be worth its while.
func (f *diskFile) writePiece(p piece, off int64) error {
	if p.whole {
		return f.write(p.data, off, false)
	}
	return f.writeAt(p.data, off)
}

// writeAt writes data at off. Where off and the address of data are unaligned
// by the same amount, at most one alignment at each end is written through the
// page cache and all between goes directly to the disk.
func (f *diskFile) writeAt(data []byte, off int64) error {
	head, body := split(off, len(data), f.align)
	if err := f.write(data[:head], off, false); err != nil {
		return err
	}
	if err := f.write(data[head:head+body], off+int64(head), true); err != nil {
		return err
	}
	return f.write(data[head+body:], off+int64(head+body), false)
}

// split returns how many of n bytes at off come before the first aligned
// offset, and how many aligned ones follow.
func split(off int64, n, align int) (head, body int) {
	if align == 0 {
		return n, 0
	}
	if past := int(off % int64(align)); past > 0 {
		head = min(align-past, n)
	}
	return head, (n - head) / align * align
}

func (f *diskFile) write(data []byte, off int64, direct bool) error {
	if len(data) == 0 {
		return nil
	}
	if err := f.setDirect(direct); err != nil {
		return classify("switch direct I/O", err)
	}
	began := time.Now()
	n, err := f.WriteAt(data, off)
	if direct && errors.Is(err, syscall.EINVAL) {
		// What direct I/O refuses, for instance a piece that a limit on the size
		// of files makes shorter, the page cache may take.
		return f.write(data[n:], off+int64(n), false)
	}
	if err != nil {
		return classify("write", note(f.observer, OpWrite, err))
	}
	f.observer.Wrote(direct, time.Since(began))
	if direct {
		f.stats.WrittenDirect.Add(int64(len(data)))
		return nil
	}
	f.stats.WrittenBuffered.Add(int64(len(data)))
	if f.align == 0 {
		// Starting the writeback now keeps the sync at the end short. It is
		// advice: an error of the disk shows there.
		startWriteback(f.File, off, int64(len(data)))
	}
	return nil
}

// setDirect switches the open file between direct I/O and the page cache.
func (f *diskFile) setDirect(direct bool) error {
	if f.isDirect == direct {
		return nil
	}
	if err := setDirectFlag(f.File, direct); err != nil {
		return err
	}
	f.isDirect = direct
	return nil
}
