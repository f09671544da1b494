package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"sluice/storage"
)

// directSendMin is the range in bytes from which SendAuto chooses; smaller ones
// go through the page cache.
const directSendMin = 1 << 20

// object is one open version of a file.
type object struct {
	engine   *engine
	hot      *recency
	send     Send
	file     *os.File
	isDirect bool
	info     storage.Info
	stages   storage.Stages
}

// Info implements storage.Object.
func (o *object) Info() storage.Info { return o.info }

// Stages implements storage.Object.
func (o *object) Stages() storage.Stages { return o.stages }

// Unchanged implements storage.Object.
func (o *object) Unchanged() error {
	info, err := o.file.Stat()
	if err != nil {
		return classify("look at open file", err)
	}
	if info.Size() != o.info.Size || !info.ModTime().Equal(o.info.ModTime) {
		return fmt.Errorf("%w: %d bytes of %s were %d of %s",
			storage.ErrChanged, info.Size(), info.ModTime(), o.info.Size, o.info.ModTime)
	}
	return nil
}

// Close implements storage.Object.
func (o *object) Close() error { return o.file.Close() }

// Send implements storage.Object.
func (o *object) Send(ctx context.Context, w io.Writer, off, n int64) (int64, error) {
	if n == 0 {
		return 0, nil
	}
	switch o.path(off, n) {
	case pathDirect:
		return o.sendBlocks(ctx, w, off, n, true)
	case pathWarming:
		return o.sendBlocks(ctx, w, off, n, false)
	case pathMapped:
		select {
		case o.engine.maps <- struct{}{}:
			defer func() { <-o.engine.maps }()
			return o.sendMapped(w, off, n)
		default:
			// Enough is mapped: beside so many others the kernel's way is as fast.
		}
	}
	return o.sendFile(w, off, n)
}

// sendPath is a way from the disk to the socket.
type sendPath int

const (
	pathFile    sendPath = iota // the kernel copies from the page cache
	pathMapped                  // written from the page cache's own memory
	pathWarming                 // read through the page cache, which keeps it
	pathDirect                  // read past the page cache
)

// path chooses the way of a range. What the page cache holds is taken from
// there; what it doesn't is kept out of it, unless it is asked for again.
func (o *object) path(off, n int64) sendPath {
	switch {
	case o.engine.align == 0 || o.send == SendFile:
		return pathFile
	case o.send == SendDirect:
		return pathDirect
	case n < directSendMin:
		return pathFile
	case resident(o.file, off, n):
		return pathMapped
	case cacheable(o.info.Size) && o.hot.warm(o.info.Version):
		return pathWarming
	}
	return pathDirect
}

// setDirect switches the open file between direct I/O and the page cache.
func (o *object) setDirect(direct bool) error {
	if direct == o.isDirect {
		return nil
	}
	if err := setDirectFlag(o.file, direct); err != nil {
		return classify("switch direct I/O", err)
	}
	o.isDirect = direct
	return nil
}

// sendMapped writes from the page cache's memory.
func (o *object) sendMapped(w io.Writer, off, n int64) (int64, error) {
	began := time.Now()
	sent, err := sendMapped(w, o.file, off, n)
	// Reading, where it is needed, happens in the kernel meanwhile.
	lap(&o.stages.Socket, began)
	o.engine.stats.ReadBuffered.Add(sent)
	if err != nil {
		return sent, fmt.Errorf("send: %w", err)
	}
	return sent, nil
}

// sendBlocks reads aligned blocks, past the page cache or through it, while the
// one before is being written to w.
func (o *object) sendBlocks(ctx context.Context, w io.Writer, off, n int64, direct bool) (int64, error) {
	if err := o.setDirect(direct); err != nil {
		return 0, err
	}
	out := outlet{file: o.file, observer: o.engine.observer, next: off, end: off + n, align: int64(o.engine.align)}
	var sent int64
	took, err := o.engine.relay.run(ctx, out.fill, func(p piece) error {
		m, err := w.Write(p.data)
		sent += int64(m)
		return err
	})
	o.stages.Disk += took.fill
	o.stages.Buffer += took.buffer
	o.stages.Socket += took.drain
	if direct {
		o.engine.stats.ReadDirect.Add(sent)
	} else {
		o.engine.stats.ReadBuffered.Add(sent)
	}
	if err != nil {
		return sent, fmt.Errorf("send: %w", err)
	}
	return sent, nil
}

// sendFile lets w copy from the file itself, which a socket does in the kernel.
func (o *object) sendFile(w io.Writer, off, n int64) (int64, error) {
	if err := o.setDirect(false); err != nil {
		return 0, err
	}
	if _, err := o.file.Seek(off, io.SeekStart); err != nil {
		return 0, classify("send", err)
	}
	began := time.Now()
	sent, err := io.Copy(w, io.LimitReader(o.file, n))
	// The kernel doesn't tell reading from sending.
	lap(&o.stages.Socket, began)
	o.engine.stats.ReadBuffered.Add(sent)
	if errors.Is(err, syscall.EIO) { // no socket says that
		_ = note(o.engine.observer, OpRead, err)
	}
	switch {
	case err != nil:
		return sent, fmt.Errorf("send: %w", err)
	case sent < n:
		return sent, fmt.Errorf("send: %w: %d of %d bytes", storage.ErrTruncated, sent, n)
	}
	return sent, nil
}

// outlet fills blocks from a range of a file by aligned reads.
type outlet struct {
	file      *os.File
	observer  Observer
	next, end int64
	align     int64
}

func (o *outlet) fill(mem []byte, _ func() bool) (piece, error) {
	skip := o.next % o.align
	at := o.next - skip
	want := min(int64(len(mem)), roundUp(o.end-at, o.align))
	n, err := o.file.ReadAt(mem[:want], at)
	if err != nil && err != io.EOF {
		return piece{}, classify("read", note(o.observer, OpRead, err))
	}
	have := min(int64(n), o.end-at)
	if have <= skip {
		return piece{}, fmt.Errorf("%w: ends before offset %d", storage.ErrTruncated, o.next)
	}
	o.next = at + have
	switch {
	case o.next == o.end:
		return piece{data: mem[skip:have]}, io.EOF
	case int64(n) < want:
		return piece{data: mem[skip:have]}, fmt.Errorf("%w: ends at offset %d", storage.ErrTruncated, o.next)
	}
	return piece{data: mem[skip:have]}, nil
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }
