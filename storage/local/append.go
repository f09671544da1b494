package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"sluice/internal/blocks"
	"sluice/storage"
)

// checkpointInterval is how often a running piece is made durable, if not by a
// number of bytes: so much of a long one is lost at most in a crash.
const checkpointInterval = time.Second

// Append implements storage.Resumable.
func (r *resumable) Append(ctx context.Context, p storage.Piece, src io.Reader) (int64, error) {
	s, off := r.current(), p.Offset
	switch {
	case s.Finished, len(s.Parts) > 0:
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
	disk := r.store.engine.newDiskFile(file, r.store.opts.IO)
	a := appending{resumable: r, file: disk, piece: p, saved: off, savedAt: time.Now()}
	disk.digests = newDigests(expected(p))
	at, err := r.store.engine.receive(ctx, disk, src, position{s.Offset, s.CRC}, s.Size, &r.stages, a.kept)
	r.stages.Digest += disk.digests.took()
	if a.whole() {
		at, err = a.judge(at, position{s.Offset, s.CRC}, err)
	}
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
	file    *diskFile
	piece   storage.Piece
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
	if a.whole() {
		return nil
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
		a.syncErr = a.store.syncFile(a.file.File)
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
	done, err := trim(a.file.File, offset)
	if size := a.current().Size; done && size > 0 {
		_, _ = preallocate(a.file.File, size)
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

// expected is the digest that the piece is known to have to have.
func expected(p storage.Piece) []storage.Digest {
	if p.Digest.IsZero() || p.Trailer != nil {
		return nil
	}
	return []storage.Digest{p.Digest}
}

// whole tells that the piece is kept whole or not at all, for what is to be
// compared is the digest of the whole.
func (a *appending) whole() bool { return !a.piece.Digest.IsZero() || a.piece.Trailer != nil }

// judge keeps the piece that has come up to at, or goes back to where it began.
func (a *appending) judge(at, began position, err error) (position, error) {
	if err == nil {
		err = a.verify(at)
	}
	if err == nil {
		return at, nil
	}
	if c := a.store.pending.of(a.state.ID); c != nil {
		err = errors.Join(err, c.advance(began.offset))
	}
	return began, err
}

// verify compares the piece, which ends at the given position, with the digest
// that its sender has named.
func (a *appending) verify(at position) error {
	if a.piece.Trailer == nil {
		return a.file.digests.check(at.crc)
	}
	wanted, err := a.piece.Trailer()
	if err != nil || wanted.IsZero() {
		return err
	}
	began := time.Now()
	defer func() { lap(&a.stages.Digest, began) }()
	late := newDigests([]storage.Digest{wanted})
	if err := a.reread(late, at); err != nil {
		return err
	}
	return late.check(at.crc)
}

// reread takes in the piece from the disk: which digest a trailer will name
// can't be known while the bytes pass, and computing all would cost more.
func (a *appending) reread(into *digests, at position) error {
	block, err := a.store.opts.Blocks.Get(context.Background(), blocks.MinSize)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	defer block.Release()
	if err := a.file.setDirect(false); err != nil {
		return classify("verify", err)
	}
	for off := a.piece.Offset; off < at.offset; {
		n, err := a.file.ReadAt(block.Bytes()[:min(int64(block.Size()), at.offset-off)], off)
		if err != nil {
			return classify("verify", err)
		}
		into.update(block.Bytes()[:n])
		off += int64(n)
	}
	return nil
}
