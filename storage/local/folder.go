package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"sluice/storage"
)

// List implements storage.Store. What is neither a file nor a folder inside the
// root, such as a broken link, isn't listed.
func (s *Store) List(_ context.Context, folder storage.Name, limit int) ([]storage.Info, bool, error) {
	members, err := s.members(folder)
	if err != nil {
		return nil, false, classify("list", err)
	}
	var entries []storage.Info
	for _, base := range members {
		info, ok := describeMember(folder, base, s.root.Stat)
		if !ok {
			continue
		}
		if len(entries) == limit {
			return entries, true, nil
		}
		entries = append(entries, info)
	}
	return entries, false, nil
}

// Walk implements storage.Store.
func (s *Store) Walk(ctx context.Context, folder storage.Name) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		info, err := s.root.Stat(fsPath(folder))
		if err == nil && !info.IsDir() {
			err = storage.ErrNotFolder
		}
		if err != nil {
			yield(storage.Info{}, classify("walk", err))
			return
		}
		s.walk(ctx, content{FileInfo: info}.describe(folder), yield)
	}
}

// walk yields the folder and all below, and reports whether to go on.
func (s *Store) walk(ctx context.Context, folder storage.Info, yield func(storage.Info, error) bool) bool {
	members, err := s.members(folder.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true // vanished
	case err != nil:
		yield(storage.Info{}, classify("walk", err))
		return false
	case !yield(folder, nil):
		return false
	}
	for _, base := range members {
		if err := ctx.Err(); err != nil {
			yield(storage.Info{}, fmt.Errorf("walk: %w", err))
			return false
		}
		info, ok := describeMember(folder.Name, base, s.root.Lstat)
		switch {
		case !ok:
		case info.Folder && !s.walk(ctx, info, yield), !info.Folder && !yield(info, nil):
			return false
		}
	}
	return true
}

// members lists what stands in a folder, sorted.
func (s *Store) members(folder storage.Name) ([]string, error) {
	dir, err := openNonblocking(s.root, fsPath(folder))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// describeMember describes one member of a folder, as stat sees it. Names that
// no route could reach, and members that have vanished meanwhile, are left out.
func describeMember(folder storage.Name, base string, stat func(string) (fs.FileInfo, error)) (storage.Info, bool) {
	child, err := storage.ParseName(base)
	if err != nil {
		return storage.Info{}, false
	}
	name, err := folder.Join(child)
	if err != nil {
		return storage.Info{}, false
	}
	info, err := stat(name.String())
	if err != nil || (!info.IsDir() && !info.Mode().IsRegular()) {
		return storage.Info{}, false
	}
	return content{FileInfo: info}.describe(name), true
}

// Remove implements storage.Store.
func (s *Store) Remove(_ context.Context, name storage.Name) error {
	if name.IsRoot() {
		return fmt.Errorf("remove root: %w", storage.ErrPermission)
	}
	info, err := s.root.Lstat(name.String())
	if err != nil {
		return classify("remove", err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("remove: %w: neither a file nor a folder", storage.ErrNotFound)
	}
	if err := s.root.Remove(name.String()); err != nil {
		return classifyWrite("remove", err)
	}
	if info.Mode().IsRegular() {
		s.space.removed(info.Size())
	}
	return s.syncFolder(path.Dir(name.String()))
}

// MakeFolder implements storage.Store.
func (s *Store) MakeFolder(_ context.Context, name storage.Name) error {
	if name.IsRoot() {
		return fmt.Errorf("make folder: %w", storage.ErrExists)
	}
	if err := s.makeFolders(name.Parent()); err != nil {
		return err
	}
	if err := s.root.Mkdir(name.String(), 0o777); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make folder: %w: %w", storage.ErrExists, err)
		}
		return classifyWrite("make folder", err)
	}
	return s.syncFolder(path.Dir(name.String()))
}

// syncFolder makes changes to a folder's entries durable.
func (s *Store) syncFolder(folder string) error {
	if s.opts.Durability == DurabilityNone {
		return nil
	}
	if err := s.syncs.sync(s.root, folder); err != nil {
		return classify("sync folder", err)
	}
	return nil
}

// makeFolders makes the missing folders down to name, each of them durable.
func (s *Store) makeFolders(name storage.Name) error {
	if name.IsRoot() {
		return nil
	}
	parent := "."
	for segment := range strings.SplitSeq(name.String(), "/") {
		folder := path.Join(parent, segment)
		err := s.root.Mkdir(folder, 0o777)
		switch {
		case err == nil:
			if err := s.syncFolder(parent); err != nil {
				return err
			}
		case !errors.Is(err, fs.ErrExist):
			return classifyWrite("make folder", note(s.opts.Observer, OpPublish, err))
		}
		parent = folder
	}
	return nil
}
