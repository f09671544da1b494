package local

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"

	"sluice/storage"
)

// Conflict chooses what becomes of an upload whose name is taken when it is
// complete.
type Conflict string

const (
	// ConflictOverwrite lets the last one to finish win. The default.
	ConflictOverwrite Conflict = "overwrite"
	// ConflictReject keeps the file that is there.
	ConflictReject Conflict = "reject"
	// ConflictRename stores the upload as "name (1).ext", or the next number
	// that is free.
	ConflictRename Conflict = "rename"
)

// maxRenames bounds the search for a free name.
const maxRenames = 10000

// nameLocks serialise the check of a name and its replacement. Names that share
// a lock only wait for each other.
type nameLocks struct {
	seed  maphash.Seed
	locks [64]sync.Mutex
}

func newNameLocks() *nameLocks { return &nameLocks{seed: maphash.MakeSeed()} }

func (n *nameLocks) of(name storage.Name) *sync.Mutex { return &n.locks[n.index(name)] }

func (n *nameLocks) index(name storage.Name) uint64 {
	return maphash.String(n.seed, name.String()) % uint64(len(n.locks))
}

// both takes the locks of two names, always in the same order, until unlock.
func (n *nameLocks) both(a, b storage.Name) (unlock func()) {
	i, j := n.index(a), n.index(b)
	first, second := &n.locks[min(i, j)], &n.locks[max(i, j)]
	first.Lock()
	if first == second {
		return first.Unlock
	}
	second.Lock()
	return func() { second.Unlock(); first.Unlock() }
}

// Check implements storage.Store.
func (s *Store) Check(name storage.Name, condition storage.Condition) error {
	_, err := s.check(name, condition)
	return err
}

// check is Check that also returns the file under the name, nil for none.
func (s *Store) check(name storage.Name, condition storage.Condition) (*storage.Info, error) {
	var current *storage.Info
	switch info, err := s.root.Lstat(fsPath(name)); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, classify("look up name", err)
	case info.IsDir():
		return nil, fmt.Errorf("look up name: %w", storage.ErrIsFolder)
	default:
		current, err = s.current(name, info, condition != nil)
		if err != nil {
			return nil, fmt.Errorf("look up name: %w", err)
		}
	}
	if condition != nil {
		if err := condition(current); err != nil {
			return nil, fmt.Errorf("look up name: %w", err)
		}
	}
	if current != nil && s.opts.Conflict == ConflictReject {
		return nil, fmt.Errorf("look up name: %w", storage.ErrExists)
	}
	return current, nil
}

// current describes the file that stands under name. Only a condition asks for
// more than its size, which would cost opening it.
func (s *Store) current(name storage.Name, info fs.FileInfo, whole bool) (*storage.Info, error) {
	found := content{FileInfo: info}
	if whole && info.Mode().IsRegular() {
		var err error
		if found, err = s.readNamed(name); err != nil {
			return nil, err
		}
	}
	described := found.describe(name)
	return &described, nil
}

// readNamed describes the file under name.
func (s *Store) readNamed(name storage.Name) (content, error) {
	file, err := openNonblocking(s.root, name.String())
	if err != nil {
		return content{}, classify("open", err)
	}
	found, err := readContent(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return content{}, classify("open", err)
	}
	return found, nil
}

// publish moves a received and synced file out of uploadsDir to its name in one
// step, if the condition holds and the policy for names that are taken allows
// it. It tells the size of the file that was replaced, in bytes. That step is
// durable once the folder has been synced, which is left to the caller: whether
// that works or not, the file stands there. Where another name is about to be
// tried, choose is told, unless it is nil; its error ends the attempt.
func (s *Store) publish(temp string, content content, name storage.Name, condition storage.Condition, choose func(storage.Name) error) (storage.Published, int64, error) {
	name, old, err := s.place(temp, name, condition, choose)
	if err != nil {
		return storage.Published{}, 0, err
	}
	published := storage.Published{Info: content.describe(name), Replaced: old != nil}
	var replaced int64
	if old != nil {
		replaced = old.Size
	}
	return published, replaced, nil
}

// place gives the file its name, which under ConflictRename may be another
// than was asked for, and returns the file that it has replaced.
func (s *Store) place(temp string, name storage.Name, condition storage.Condition, choose func(storage.Name) error) (storage.Name, *storage.Info, error) {
	lock := s.names.of(name)
	lock.Lock()
	defer lock.Unlock()
	current, err := s.check(name, condition)
	if err != nil {
		return name, nil, err
	}
	switch {
	case s.opts.Conflict == ConflictRename && condition == nil:
		name, err := s.placeBeside(temp, name, choose)
		return name, nil, err
	case current == nil && condition != nil:
		err := s.placeNew(temp, name)
		if errors.Is(err, storage.ErrExists) {
			err = fmt.Errorf("%w: %w", storage.ErrCondition, err)
		}
		return name, nil, err
	case s.opts.Conflict == ConflictReject:
		return name, nil, s.placeNew(temp, name)
	}
	return name, current, s.move(name, func() error { return s.rename(temp, name) })
}

// placeNew gives the file a name that nothing stands under. It never replaces
// what another program has put there meanwhile.
func (s *Store) placeNew(temp string, name storage.Name) error {
	return s.move(name, func() error { return s.renameNew(temp, name) })
}

// move gives a file or folder its name by one of the ways that a system has, and
// makes the folders that are missing for it.
func (s *Store) move(name storage.Name, by func() error) error {
	err := by()
	if errors.Is(err, fs.ErrNotExist) && !name.Parent().IsRoot() {
		if err := s.makeFolders(name.Parent()); err != nil {
			return err
		}
		err = by()
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("rename: %w", storage.ErrExists)
	}
	if err != nil {
		return classifyWrite("rename", note(s.opts.Observer, OpPublish, err))
	}
	return nil
}

// linkNew is a rename by a link, which doesn't replace anything.
func (s *Store) linkNew(from string, name storage.Name) error {
	if err := s.root.Link(from, name.String()); err != nil {
		return err
	}
	if err := s.root.Remove(from); err != nil {
		return errors.Join(err, s.root.Remove(name.String()))
	}
	return nil
}

// placeBeside finds the first free name of the form "base (n).ext".
func (s *Store) placeBeside(temp string, name storage.Name, choose func(storage.Name) error) (storage.Name, error) {
	for n := range maxRenames {
		candidate, err := numbered(name, n)
		if err == nil && choose != nil {
			err = choose(candidate)
		}
		if err != nil {
			return name, err
		}
		if err := s.placeNew(temp, candidate); !errors.Is(err, storage.ErrExists) {
			return candidate, err
		}
	}
	return name, fmt.Errorf("publish: %w: so are %d names beside it", storage.ErrExists, maxRenames)
}

// numbered is the name with a number before its extension; 0 leaves it as it
// is. A segment that would become too long is cut before the number.
func numbered(name storage.Name, n int) (storage.Name, error) {
	if n == 0 {
		return name, nil
	}
	base := name.Base()
	ext := path.Ext(base)
	if ext == base {
		ext = "" // a name like .profile has no extension
	}
	suffix := " (" + strconv.Itoa(n) + ")" + ext
	stem := strings.TrimSuffix(base, ext)
	if room := storage.MaxSegment - len(suffix); len(stem) > room {
		stem = strings.ToValidUTF8(stem[:max(room, 0)], "")
	}
	numbered, err := storage.ParseName(stem + suffix)
	if err != nil {
		return storage.Name{}, err
	}
	return name.Parent().Join(numbered)
}
