package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sluice/storage"
)

// List implements storage.Store. What is neither a file nor a folder inside the
// root, such as a broken link, isn't listed.
func (s *Store) List(_ context.Context, folder storage.Name, limit int) ([]storage.Info, bool, error) {
	dir, err := openNonblocking(s.root, fsPath(folder))
	if err != nil {
		return nil, false, classify("list", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, false, classify("list", err)
	}
	slices.Sort(names)
	var entries []storage.Info
	for _, base := range names {
		info, ok := s.entry(folder, base)
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

// entry describes one member of a folder. Names that no route could reach, and
// members that have vanished meanwhile, are left out.
func (s *Store) entry(folder storage.Name, base string) (storage.Info, bool) {
	child, err := storage.ParseName(base)
	if err != nil {
		return storage.Info{}, false
	}
	name, err := folder.Join(child)
	if err != nil {
		return storage.Info{}, false
	}
	info, err := s.root.Stat(name.String())
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
			return classifyWrite("make folder", err)
		}
		parent = folder
	}
	return nil
}
