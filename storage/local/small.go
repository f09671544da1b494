package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"sluice/storage"
)

// replaceFile writes a small file so that at any time either the old or the
// new content stands under its name, durably where asked for and the store's
// durability has it.
func (s *Store) replaceFile(folder, name string, data []byte, durable bool) error {
	name = path.Join(folder, name)
	temp := name + infoTempExt
	file, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return note(s.opts.Observer, OpWrite, err)
	}
	_, err = file.Write(data)
	err = note(s.opts.Observer, OpWrite, err)
	if durable {
		err = errors.Join(err, s.syncFile(file))
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, s.root.Remove(temp))
	}
	if err := s.root.Rename(temp, name); err != nil {
		return errors.Join(err, s.root.Remove(temp))
	}
	if !durable {
		return nil
	}
	return s.syncFolder(folder)
}

// Folder keeps small files of other parts of the server, where no name of a
// file can reach them. Its methods may be called concurrently for different
// names.
type Folder struct {
	store *Store
	path  string
}

// Folder makes or opens a folder of the store's own, and removes what a crash
// has left there of files that were being written.
func (s *Store) Folder(name string) (*Folder, error) {
	f := &Folder{s, storage.Reserved + "/" + name}
	if err := s.root.MkdirAll(f.path, 0o700); err != nil {
		return nil, classifyWrite("make folder", err)
	}
	for parent := f.path; parent != "."; {
		parent = path.Dir(parent)
		if err := s.syncFolder(parent); err != nil {
			return nil, err
		}
	}
	files, err := f.entries()
	for _, file := range files {
		if strings.HasSuffix(file.Name(), infoTempExt) {
			err = errors.Join(err, f.Remove(file.Name()))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	return f, nil
}

// List describes the files, but for those that are being written.
func (f *Folder) List() ([]fs.FileInfo, error) {
	files, err := f.entries()
	if err != nil {
		return nil, classify("list folder", err)
	}
	var whole []fs.FileInfo
	for _, file := range files {
		if file.Mode().IsRegular() && !strings.HasSuffix(file.Name(), infoTempExt) {
			whole = append(whole, file)
		}
	}
	return whole, nil
}

func (f *Folder) entries() ([]fs.FileInfo, error) {
	dir, err := f.store.root.Open(f.path)
	if err != nil {
		return nil, err
	}
	files, err := dir.Readdir(-1)
	return files, errors.Join(err, dir.Close())
}

// Read returns the content of a file.
func (f *Folder) Read(name string) ([]byte, error) {
	data, err := f.store.root.ReadFile(path.Join(f.path, name))
	if err != nil {
		return nil, classify("read file", err)
	}
	return data, nil
}

// Write makes or replaces a file in one step, durably where asked for and the
// store's durability has it.
func (f *Folder) Write(name string, data []byte, durable bool) error {
	if err := f.store.replaceFile(f.path, name, data, durable); err != nil {
		return classifyWrite("write file", err)
	}
	return nil
}

// Remove removes a file.
func (f *Folder) Remove(name string) error {
	if err := f.store.root.Remove(path.Join(f.path, name)); err != nil {
		return classifyWrite("remove file", err)
	}
	return nil
}
