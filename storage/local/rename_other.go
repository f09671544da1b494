//go:build !linux

package local

import (
	"os"
	"path"

	"sluice/storage"
)

// createUploadFile makes a file in uploadsDir.
func (s *Store) createUploadFile(base string) (*os.File, error) {
	return s.root.OpenFile(path.Join(uploadsDir, base), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// rename moves a file out of uploadsDir to its name, over what stands there.
func (s *Store) rename(temp string, name storage.Name) error {
	return s.root.Rename(path.Join(uploadsDir, temp), name.String())
}

// renameNew is rename that fails with fs.ErrExist where something stands there.
func (s *Store) renameNew(temp string, name storage.Name) error {
	return s.linkNew(path.Join(uploadsDir, temp), name)
}

// relocateNew gives what stands under a name another one, and fails with
// fs.ErrExist where something stands there.
func (s *Store) relocateNew(from, to storage.Name, folder bool) error {
	return s.relocateNewPlainly(from, to, folder)
}
