package local

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"sluice/storage"
)

// damagedDir is where a start sets aside what it can't make sense of.
const damagedDir = storage.Reserved + "/damaged"

// pending are the claims of the resumable uploads that aren't finished, by id,
// and which uploads are in use just now.
type pending struct {
	mu     sync.Mutex
	claims map[string]*claim
	inUse  map[string]bool
}

func newPending() *pending {
	return &pending{claims: make(map[string]*claim), inUse: make(map[string]bool)}
}

// seize marks an upload as being in use, unless it is already.
func (p *pending) seize(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inUse[id] {
		return false
	}
	p.inUse[id] = true
	return true
}

func (p *pending) used(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inUse[id]
}

func (p *pending) yield(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.inUse, id)
}

func (p *pending) add(id string, c *claim) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims[id] = c
}

// take returns the claim of an upload and forgets it; nil where there is none.
func (p *pending) take(id string) *claim {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.claims[id]
	delete(p.claims, id)
	return c
}

func (p *pending) of(id string) *claim {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.claims[id]
}

// ResumableStats is what unfinished resumable uploads there are, and the bytes
// of them that have come.
type ResumableStats struct{ Open, Bytes int64 }

// Resumables returns the current numbers.
func (s *Store) Resumables() ResumableStats {
	s.pending.mu.Lock()
	claims := slices.Collect(maps.Values(s.pending.claims))
	s.pending.mu.Unlock()

	s.space.mu.Lock()
	defer s.space.mu.Unlock()
	stats := ResumableStats{Open: int64(len(claims))}
	for _, c := range claims {
		stats.Bytes += c.received
	}
	return stats
}

// Damage is a resumable upload that a start has set aside.
type Damage struct {
	// File stands in .sluice/damaged under the root.
	File string
	Err  error
}

// recover goes through what an earlier process has left: one-shot uploads are
// removed, resumable ones keep their space, and damaged ones are set aside.
func (s *Store) recover() error {
	names, err := s.uploadFiles()
	if err != nil {
		return err
	}
	for _, name := range names {
		switch ext := path.Ext(name); ext {
		case tempExt, infoTempExt:
			err = s.root.Remove(uploadsDir + "/" + name)
		case infoExt:
			err = s.recoverUpload(strings.TrimSuffix(name, ext))
		case droppedExt:
			err = s.removeDropped(strings.TrimSuffix(name, ext))
		default:
			err = s.recoverData(name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("recover uploads: %w", err)
		}
	}
	return nil
}

func (s *Store) missing(name string) bool {
	_, err := s.root.Lstat(uploadsDir + "/" + name)
	return errors.Is(err, fs.ErrNotExist)
}

func (s *Store) uploadFiles() ([]string, error) {
	dir, err := s.root.Open(uploadsDir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", uploadsDir, err)
	}
	names, err := dir.Readdirnames(-1)
	if err := errors.Join(err, dir.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", uploadsDir, err)
	}
	return names, nil
}

// recoverData looks after data that may have lost its state. Where nothing has
// been received there was none yet: the upload was being created.
func (s *Store) recoverData(name string) error {
	info, err := s.root.Lstat(uploadsDir + "/" + name)
	switch {
	case err != nil:
		return err
	case !s.missing(name + infoExt), !s.missing(name + droppedExt):
		return nil
	case info.Mode().IsRegular() && info.Size() == 0:
		return s.root.Remove(uploadsDir + "/" + name)
	}
	return s.setAside(errors.New("upload without its state"), name)
}

// recoverUpload checks one resumable upload and claims its space again.
func (s *Store) recoverUpload(id string) error {
	r, err := s.load(id)
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return s.setAside(err, id, id+infoExt)
	}
	if !r.untouched() {
		published, err := r.wasPublished()
		if err != nil || published {
			return err
		}
	}
	declared := r.state.Size
	if len(r.state.Parts) > 0 {
		declared = 0 // its parts have claimed that
	}
	s.pending.add(id, s.space.restore(declared, r.state.Offset))
	return nil
}

// untouched tells that the upload will be joined from parts and has no data yet.
func (r *resumable) untouched() bool { return len(r.state.Parts) > 0 && r.state.Offset == 0 }

// wasPublished tells whether the file stands under its name, also where a crash
// came before that was written down. Where it came between a link and the removal
// of the data, what was left of that is done.
func (r *resumable) wasPublished() (bool, error) {
	data, err := r.store.root.Lstat(r.dataPath())
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // or check would have complained
	}
	if err != nil || !r.complete() {
		return false, err
	}
	placed, err := r.store.root.Lstat(r.state.target().String())
	if err != nil || !os.SameFile(data, placed) {
		return false, nil
	}
	return true, r.store.root.Remove(r.dataPath())
}

// check compares the state of an upload with its data.
func (r *resumable) check() error {
	info, err := r.store.root.Lstat(r.dataPath())
	switch {
	case r.state.Offset < 0 || (r.state.Size != storage.UnknownSize && r.state.Offset > r.state.Size):
		return fmt.Errorf("offset %d of %d bytes", r.state.Offset, r.state.Size)
	case r.untouched():
		return nil
	case r.state.Finished, errors.Is(err, fs.ErrNotExist) && r.complete():
		return nil // the data stands under its real name
	case err != nil:
		return err
	case info.Size() < r.state.Offset:
		return fmt.Errorf("%d bytes of data, %d in the state", info.Size(), r.state.Offset)
	}
	return nil
}

// setAside moves damaged files out of the way, where an operator can look at
// them.
func (s *Store) setAside(cause error, names ...string) error {
	if err := s.root.MkdirAll(damagedDir, 0o700); err != nil {
		return err
	}
	for _, name := range names {
		err := s.root.Rename(uploadsDir+"/"+name, damagedDir+"/"+name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	s.damaged = append(s.damaged, Damage{File: names[0], Err: cause})
	return nil
}

// Damaged returns what Open has set aside.
func (s *Store) Damaged() []Damage { return s.damaged }
