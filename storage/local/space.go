package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"sluice/storage"
)

// space decides whether bytes still fit, before they come.
type space struct {
	folder *os.File // of the file system
	// physical tells that the file system itself sets reserved bytes aside, so
	// that its free bytes don't include them.
	physical bool

	mu       sync.Mutex
	bounds   SpaceBounds
	measured bool // used counts what was there at the start
	last     reading
	reserved int64 // declared by unfinished uploads and not yet received
	loose    int64 // of reserved, what belongs to no file yet (reservation)
	used     int64 // of all files, where they are measured, and declared or received by uploads
}

// SpaceBounds are what uploads have to leave free, and what files and uploads may
// take together, 0 for no bound; both in bytes.
type SpaceBounds struct{ MinFree, Quota int64 }

// PrepareSpace looks whether the bounds can be had, and returns what puts them
// into effect. What is beyond them already stays.
func (s *Store) PrepareSpace(b SpaceBounds) (apply func(), err error) {
	if b.Quota > 0 && !s.space.measured {
		return nil, errors.New("a first quota needs a restart, which counts the files")
	}
	return func() {
		s.space.mu.Lock()
		defer s.space.mu.Unlock()
		s.space.bounds = b
	}, nil
}

// SpaceStats is the state of the space below the root, in bytes.
type SpaceStats struct {
	// Free is what the file system would still take, -1 where that isn't known.
	Free int64
	// Reserved was declared by unfinished uploads and hasn't come yet.
	Reserved int64
	// Used is what files and uploads take, Quota what they may; both are 0
	// without a quota.
	Used, Quota int64
}

// stats returns the current numbers.
func (s *space) stats() SpaceStats {
	free, known := freeBytes(s.folder)
	if !known {
		free = -1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := SpaceStats{Free: free, Reserved: s.reserved, Quota: s.bounds.Quota}
	if s.bounds.Quota > 0 {
		stats.Used = s.used
	}
	return stats
}

// claim is what one upload takes of the space.
type claim struct {
	space    *space
	declared int64 // storage.UnknownSize for an upload that just grows
	received int64
	within   *reservation // what it draws on; nil for nothing
}

// claim reserves the declared bytes of an upload, of which received are there
// already.
func (s *space) claim(declared, received int64) (*claim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	awaited := max(declared-received, 0)
	if err := s.fits(awaited, awaited); err != nil {
		return nil, err
	}
	return s.book(declared, received), nil
}

// restore claims what an earlier process had claimed, whether it fits or not.
func (s *space) restore(declared, received int64) *claim {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.book(declared, received)
}

// book makes the claim. The caller holds the lock.
func (s *space) book(declared, received int64) *claim {
	c := &claim{space: s, declared: declared, received: received}
	s.used += c.size()
	s.reserved += c.awaited()
	return c
}

// fits fails where more bytes would pass the quota, or where those of them that
// aren't on the disk yet would leave too little free.
func (s *space) fits(more, toCome int64) error {
	if s.bounds.Quota > 0 && more > s.bounds.Quota-s.used {
		return fmt.Errorf("%w: quota of %d bytes, %d used, %d wanted", storage.ErrNoSpace, s.bounds.Quota, s.used, more)
	}
	if s.last.plenty(toCome + s.reserved + s.bounds.MinFree) {
		s.last.taken += toCome
		return nil
	}
	free, known := freeBytes(s.folder)
	if !known {
		return nil
	}
	s.last = reading{free: free, at: time.Now(), taken: toCome}
	if s.physical {
		free -= s.loose
	} else {
		free -= s.reserved
	}
	if free-toCome < s.bounds.MinFree {
		return fmt.Errorf("%w: %d bytes free, %d to be kept, %d wanted", storage.ErrNoSpace, free, s.bounds.MinFree, toCome)
	}
	return nil
}

// reading is what the file system said lately about its free bytes. Asking it
// for each of many small files would cost a good part of storing them.
type reading struct {
	free  int64
	at    time.Time
	taken int64 // let in since, in bytes
}

const (
	// readingLife is how long a reading counts, and ample how many bytes it has
	// to leave over: more than other programs take in that time.
	readingLife = 100 * time.Millisecond
	ample       = 2 << 30
)

// plenty tells that so many bytes are there beyond doubt.
func (r reading) plenty(wanted int64) bool {
	return r.free-r.taken-wanted > ample && time.Since(r.at) < readingLife
}

// check fails where claim would, and where nothing can be stored at all.
func (s *space) check(declared int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	declared = max(declared, 0)
	if !s.last.plenty(declared + s.reserved + s.bounds.MinFree) {
		if err := writable(s.folder); err != nil {
			return classifyWrite("check space", err)
		}
	}
	return s.fits(declared, declared)
}

// size is what the upload counts for, in bytes.
func (c *claim) size() int64 { return max(c.declared, c.received) }

// awaited is what was declared and hasn't come yet.
func (c *claim) awaited() int64 { return max(c.declared-c.received, 0) }

// advance notes that the upload now has received bytes, all of them on the disk.
// One without a declared length fails here when it doesn't fit any more.
func (c *claim) advance(received int64) error {
	return c.change(c.declared, received)
}

// declare notes the length of an upload that had none.
func (c *claim) declare(size int64) error {
	return c.change(size, c.received)
}

func (c *claim) change(declared, received int64) error {
	s := c.space
	s.mu.Lock()
	defer s.mu.Unlock()
	next := *c
	next.declared, next.received = declared, received
	grows := next.size() - c.size()
	if grows -= c.within.draw(max(grows, 0)); grows > 0 {
		if err := s.fits(grows, next.awaited()-c.awaited()); err != nil {
			return err
		}
	}
	s.used += next.size() - c.size()
	s.reserved += next.awaited() - c.awaited()
	*c = next
	return nil
}

// absorb takes over n received bytes of another claim, or of one that is gone.
func (c *claim) absorb(from *claim, n int64) {
	s := c.space
	s.mu.Lock()
	defer s.mu.Unlock()
	c.received += n
	s.used += n
	if from != nil {
		from.received -= n
		from.declared = from.received
		s.used -= n
	}
}

// release gives back what the upload took.
func (c *claim) release() {
	c.space.settle(c, -c.size())
}

// publish turns the upload's share into that of a file, which has replaced one
// of the given size.
func (c *claim) publish(replaced int64) {
	c.space.settle(c, -replaced)
}

func (s *space) settle(c *claim, used int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used += used
	s.reserved -= c.awaited()
}

// removed notes that a file of the given size is gone.
func (s *space) removed(size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= size
}

// CheckSpace implements storage.Store.
func (s *Store) CheckSpace(size int64) error {
	return s.space.check(size)
}

// Writable tells whether files can be stored at all: storage.ErrReadOnly where
// the disk or the rights on the root don't let the store write.
func (s *Store) Writable() error {
	if err := errors.Join(writable(s.top), writable(s.uploads)); err != nil {
		return classifyWrite("check root", err)
	}
	return nil
}

// Space returns the state of the space below the root.
func (s *Store) Space() SpaceStats { return s.space.stats() }

// measure counts the bytes of all files below root, those of the store's own
// folder apart, which are counted by their claims.
func (s *space) measure(root *os.Root) error {
	if s.bounds.Quota == 0 {
		return nil
	}
	var used int64
	err := fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path == storage.Reserved {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return nil // it was removed meanwhile
		}
		used += info.Size()
		return nil
	})
	if err != nil {
		return fmt.Errorf("measure files for the quota: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used += used
	s.measured = true
	return nil
}
