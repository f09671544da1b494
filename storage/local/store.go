// Package local keeps files as plain files below one root folder.
//
// It owns the engine that moves bytes between a stream and the disk (relay,
// diskFile), direct I/O, preallocation, digests, syncing and publishing: an
// upload lives under a random name in .sluice/uploads on the same file system
// and becomes visible by one rename. It must not know HTTP or any protocol; it
// sees plain readers and writers.
//
// Everything below the root goes through [os.Root], so that no name, link or
// missed check can lead out of it.
package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"sluice/internal/blocks"
	"sluice/storage"
)

// uploadsDir holds what isn't published yet. No name can reach it, for its
// first segment is reserved.
const uploadsDir = storage.Reserved + "/uploads"

// IO chooses how uploads are written.
type IO string

// Send chooses how downloads are read.
type Send string

// Durability chooses what an acknowledged upload survives.
type Durability string

const (
	// DurabilityCommit syncs data and folders before success is told, so that
	// an acknowledged file survives the loss of power. The default.
	DurabilityCommit Durability = "commit"
	// DurabilityNone never syncs: an acknowledged file survives the end of the
	// process, and that of the system only once it was written back.
	DurabilityNone Durability = "none"

	// IOAuto writes by direct I/O where the file system has it, and small
	// bodies through the page cache.
	IOAuto IO = "auto"
	// IODirect is IOAuto that refuses to start where direct I/O is missing.
	IODirect IO = "direct"
	// IOBuffered writes through the page cache, and starts writeback as it goes.
	IOBuffered IO = "buffered"

	// SendAuto sends what the page cache holds from there, and reads what it
	// doesn't by direct I/O unless it is small or was asked for lately.
	SendAuto Send = "auto"
	// SendDirect reads every range by direct I/O where the file system has it.
	SendDirect Send = "direct"
	// SendFile lets the kernel copy from the page cache to the socket.
	SendFile Send = "sendfile"
)

// Options are the settings of a Store.
type Options struct {
	// Root is the folder that holds the files; it is made where missing.
	Root string
	// Blocks lends the memory that bytes move through. Required.
	Blocks *blocks.Pool
	// BlockSize is the largest block in bytes: a multiple of blocks.MinSize, or a
	// smaller power of two from 8192 on.
	// Zero means 4 MiB.
	BlockSize int
	// BlocksPerTransfer is how many blocks a transfer takes turns with. Below 2
	// nothing overlaps. Zero means 2.
	BlocksPerTransfer int
	// IO and Send choose the paths; empty means auto.
	IO   IO
	Send Send
	// Durability is DurabilityCommit where empty.
	Durability Durability
	// Conflict is ConflictOverwrite where empty.
	Conflict Conflict
	// Space may change later on.
	Space SpaceBounds
	// SyncEvery makes a running upload durable each time so many bytes have
	// come, so that little is left to do at its end and little is lost of a
	// resumable one. 0 leaves that to the end.
	SyncEvery int64
	// Observer is told what the disk does; nil is nobody.
	Observer Observer
}

// Store is a storage.Store on a local file system.
type Store struct {
	opts Options
	root *os.Root
	// top is the root folder and uploads is uploadsDir, held open because every
	// upload needs them.
	top, uploads *os.File
	names        *nameLocks
	syncs        *folderSyncs
	hot          recency
	space        *space
	// pending are the resumable uploads under way.
	pending *pending
	damaged []Damage
	engine  engine
}

var _ storage.Store = (*Store)(nil)

// Open makes or opens a store, finds out what its file system can do and
// removes what one-shot uploads have left behind in a crash.
func Open(opts Options) (*Store, error) {
	if opts.BlockSize == 0 {
		opts.BlockSize = 4 << 20
	}
	if opts.Send == "" {
		opts.Send = SendAuto
	}
	if opts.BlocksPerTransfer == 0 {
		opts.BlocksPerTransfer = 2
	}
	if opts.Conflict == "" {
		opts.Conflict = ConflictOverwrite
	}
	if opts.Observer == nil {
		opts.Observer = nobody{}
	}
	if err := os.MkdirAll(opts.Root, 0o777); err != nil {
		return nil, fmt.Errorf("make root: %w", err)
	}
	root, err := os.OpenRoot(opts.Root)
	if err != nil {
		return nil, fmt.Errorf("open root: %w", err)
	}
	s := &Store{opts: opts, root: root, names: newNameLocks(), syncs: newFolderSyncs(opts.Observer), pending: newPending()}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

func (s *Store) prepare() error {
	if err := s.root.MkdirAll(uploadsDir, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", uploadsDir, err)
	}
	var err error
	if s.top, err = s.root.Open("."); err != nil {
		return fmt.Errorf("open root: %w", err)
	}
	if s.uploads, err = s.root.Open(uploadsDir); err != nil {
		return fmt.Errorf("open %s: %w", uploadsDir, err)
	}
	align, physical, err := s.probe()
	if err != nil {
		return err
	}
	s.space = &space{folder: s.uploads, bounds: s.opts.Space, physical: physical}
	if err := errors.Join(s.space.measure(s.root), s.recover()); err != nil {
		return err
	}
	if align == 0 && s.opts.IO == IODirect {
		return fmt.Errorf("direct I/O is set, but the file system of %s has none", s.opts.Root)
	}
	s.engine = engine{
		relay:    relay{pool: s.opts.Blocks, max: s.opts.BlockSize, limit: s.opts.BlocksPerTransfer},
		align:    align,
		stats:    new(Stats),
		observer: s.opts.Observer,
		maps:     make(chan struct{}, maxMaps),
	}
	return nil
}

// probe asks the file system for the alignment of direct I/O in bytes, 0 where
// it has none, and whether it can reserve space.
func (s *Store) probe() (align int, reserves bool, err error) {
	f, temp, err := s.createTemp()
	if err != nil {
		return 0, false, fmt.Errorf("probe file system: %w", err)
	}
	align = directAlign(f)
	// A full disk is no reason not to start.
	reserves, allocErr := preallocate(f, blocks.MinSize)
	reserves = reserves || allocErr != nil
	if err := errors.Join(f.Close(), s.removeUploadFile(temp)); err != nil {
		return 0, false, fmt.Errorf("probe file system: %w", err)
	}
	return align, reserves, nil
}

// DirectIO reports whether the file system takes direct I/O.
func (s *Store) DirectIO() bool { return s.engine.align > 0 }

// Stats returns the counters of the store, to be read at any time.
func (s *Store) Stats() *Stats { return s.engine.stats }

// Close releases the root folder. Transfers that still run fail.
func (s *Store) Close() error {
	return errors.Join(s.uploads.Close(), s.top.Close(), s.root.Close())
}

// Open implements storage.Store.
func (s *Store) Open(_ context.Context, name storage.Name) (storage.Object, error) {
	if name.IsRoot() {
		return nil, fmt.Errorf("open root: %w", storage.ErrIsFolder)
	}
	file, err := openNonblocking(s.root, name.String())
	if err != nil {
		return nil, classify("open", err)
	}
	content, err := readContent(file)
	if err == nil {
		err = mustBeRegular(content)
	}
	if err != nil {
		return nil, errors.Join(classify("open", err), file.Close())
	}
	return &object{engine: &s.engine, hot: &s.hot, send: s.opts.Send, file: file, info: content.describe(name)}, nil
}

func mustBeRegular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return storage.ErrIsFolder
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: neither a file nor a folder", storage.ErrNotFound)
	}
	return nil
}

// syncFile makes the content of a file durable, if uploads have to be.
func (s *Store) syncFile(file *os.File) error {
	if s.opts.Durability == DurabilityNone {
		return nil
	}
	return s.syncNow(file)
}

// syncNow makes the content of a file durable.
func (s *Store) syncNow(file *os.File) error {
	return syncing(s.opts.Observer, false, func() error { return syncData(file) })
}

// fsPath is the name as os.Root wants it, which calls the root ".".
func fsPath(name storage.Name) string {
	if name.IsRoot() {
		return "."
	}
	return name.String()
}
