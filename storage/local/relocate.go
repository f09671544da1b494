package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"syscall"

	"sluice/storage"
)

// Rename implements storage.Store. A link is moved itself, not what it leads to.
func (s *Store) Rename(_ context.Context, from, to storage.Name, replace bool) (bool, error) {
	if from.IsRoot() || to.Within(from) {
		return false, fmt.Errorf("move: %w", storage.ErrIntoItself)
	}
	if to.IsRoot() {
		return false, fmt.Errorf("move to the root: %w", storage.ErrIsFolder)
	}
	old, err := s.relocate(from, to, replace)
	if err != nil {
		return false, err
	}
	if old != nil && old.Mode().IsRegular() {
		s.space.removed(old.Size())
	}
	// Where the new entry is lost, the old one must not be gone.
	for _, folder := range []storage.Name{to.Parent(), from.Parent()} {
		if err := s.syncFolder(fsPath(folder)); err != nil {
			return false, err
		}
	}
	return old != nil, nil
}

// relocate renames, and returns what was replaced.
func (s *Store) relocate(from, to storage.Name, replace bool) (old fs.FileInfo, err error) {
	defer s.names.both(from, to)()
	info, err := s.root.Lstat(from.String())
	if err != nil {
		return nil, classify("move", err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return nil, fmt.Errorf("move: %w: neither a file nor a folder", storage.ErrNotFound)
	}
	if old, err = s.replaced(info, to, replace && s.opts.Conflict == ConflictOverwrite); err != nil {
		return nil, fmt.Errorf("move: %w", err)
	}
	err = s.move(to, func() error {
		if old != nil {
			return s.root.Rename(from.String(), to.String())
		}
		return s.relocateNew(from, to, info.IsDir())
	})
	if errors.Is(err, syscall.EXDEV) {
		err = fmt.Errorf("%w: %w", storage.ErrPermission, err)
	}
	return old, err
}

// replaced is what would be replaced under a name; nil where nothing stands there.
func (s *Store) replaced(by fs.FileInfo, name storage.Name, allowed bool) (fs.FileInfo, error) {
	switch old, err := s.root.Lstat(name.String()); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, classify("look up name", err)
	case !allowed:
		return nil, storage.ErrExists
	case old.IsDir():
		return nil, storage.ErrIsFolder
	case by.IsDir():
		return nil, storage.ErrNotFolder
	default:
		return old, nil
	}
}

// relocateNewPlainly is relocateNew where the system has no such step. A folder
// that another program makes between look and rename would be replaced if it is
// empty.
func (s *Store) relocateNewPlainly(from, to storage.Name, folder bool) error {
	if !folder {
		return s.linkNew(from.String(), to)
	}
	if _, err := s.root.Lstat(to.String()); err == nil {
		return &fs.PathError{Op: "rename", Path: path.Base(to.String()), Err: fs.ErrExist}
	}
	return s.root.Rename(from.String(), to.String())
}
