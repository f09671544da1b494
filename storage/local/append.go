package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"sluice/storage"
)

// checkpointInterval is how often a running piece is made durable, if not by a
// number of bytes: so much of a long one is lost at most in a crash.
const checkpointInterval = time.Second

// Append implements storage.Resumable.
func (r *resumable) Append(ctx context.Context, off int64, src io.Reader) (int64, error) {
	s := r.current()
	switch {
	case s.Finished:
		return 0, fmt.Errorf("append: %w", storage.ErrFinished)
	case off != s.Offset:
		return 0, fmt.Errorf("append at %d: %w: upload ends at %d", off, storage.ErrOffset, s.Offset)
	}
	if !r.store.pending.seize(s.ID) {
		return 0, fmt.Errorf("append: %w: another request writes to the upload", storage.ErrBusy)
	}
	defer r.store.pending.yield(s.ID)
	file, err := r.openData()
	if err != nil {
		return 0, classifyWrite("append", err)
	}
	a := appending{resumable: r, file: file, saved: off, savedAt: time.Now()}
	disk := r.store.engine.newDiskFile(file, r.store.opts.IO)
	at, err := r.store.engine.receive(ctx, disk, src, position{s.Offset, s.CRC}, s.Size, &r.stages, a.kept)
	began := time.Now()
	err = errors.Join(err, a.settle(at))
	lap(&r.stages.Sync, began)
	kept := r.current().Offset - off
	if err != nil {
		return kept, fmt.Errorf("append: %w", err)
	}
	return kept, nil
}

// appending is one piece on its way in.
type appending struct {
	*resumable
	file    *os.File
	saved   int64 // offset in the state on the disk
	savedAt time.Time
	syncErr error // of the sync that failed
}

// kept makes the piece durable from time to time.
func (a *appending) kept(at position) error {
	if c := a.store.pending.of(a.state.ID); c != nil {
		if err := c.advance(at.offset); err != nil {
			return err
		}
	}
	due := time.Since(a.savedAt) >= checkpointInterval
	if every := a.store.opts.SyncEvery; every > 0 {
		due = at.offset-a.saved >= every
	}
	if !due {
		return nil
	}
	return a.save(at)
}

// settle ends the piece: what has come is made durable, and what stands in the
// file behind it, left by a failed write or a crash, goes.
func (a *appending) settle(at position) error {
	err := errors.Join(a.cut(at.offset), a.save(at))
	if err != nil {
		// The rest has to come again, so it is of no more use.
		err = errors.Join(err, a.cut(a.saved))
	}
	if closeErr := a.file.Close(); closeErr != nil {
		err = errors.Join(err, classify("close upload", closeErr))
	}
	return err
}

// save makes the data up to at durable, and then says so in the state.
func (a *appending) save(at position) error {
	if at.offset == a.saved {
		return nil
	}
	// The system forgets what it failed to write: after a sync that failed, the
	// next one may succeed without it.
	if a.syncErr == nil {
		a.syncErr = a.store.syncFile(a.file)
	}
	if a.syncErr != nil {
		return classify("sync upload", a.syncErr)
	}
	s := a.current()
	s.Offset, s.CRC = at.offset, at.crc
	if err := a.resumable.save(s); err != nil {
		return err
	}
	a.saved, a.savedAt = at.offset, time.Now()
	return nil
}

// cut removes what stands in the file behind offset. With it goes the space
// that was set aside, which is therefore done again; where it is taken by now,
// the bytes that are to come may meet the end of the disk.
func (a *appending) cut(offset int64) error {
	done, err := trim(a.file, offset)
	if size := a.current().Size; done && size > 0 {
		_, _ = preallocate(a.file, size)
	}
	if err != nil {
		return classify("cut upload", err)
	}
	return nil
}

// trim cuts off what stands in file behind size, and reports whether there was
// anything.
func trim(file *os.File, size int64) (done bool, err error) {
	info, err := file.Stat()
	if err != nil || info.Size() <= size {
		return false, err
	}
	return true, file.Truncate(size)
}
