package local

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"

	"sluice/storage"
)

// createUploadFile makes a file in uploadsDir. The name is of the store's own
// making and the folder is open, so os.Root has nothing to guard; going past it
// saves asking whether a regular file can be polled, which is most of the cost.
func (s *Store) createUploadFile(base string) (*os.File, error) {
	var file *os.File
	err := control(s.uploads, func(dir int) error {
		fd, err := unix.Openat(dir, base, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
		if err != nil {
			return &os.PathError{Op: "create", Path: base, Err: err}
		}
		file = os.NewFile(uintptr(fd), base)
		return nil
	})
	return file, err
}

// rename moves a file out of uploadsDir to its name, over what stands there.
func (s *Store) rename(temp string, name storage.Name) error {
	return s.renameFrom(s.uploads, temp, name, 0)
}

// renameNew is rename that fails with fs.ErrExist where something stands there.
func (s *Store) renameNew(temp string, name storage.Name) error {
	err := s.renameFrom(s.uploads, temp, name, unix.RENAME_NOREPLACE)
	if lacksNoReplace(err) {
		return s.linkNew(path.Join(uploadsDir, temp), name)
	}
	return err
}

// relocateNew gives what stands under a name another one, and fails with
// fs.ErrExist where something stands there.
func (s *Store) relocateNew(from, to storage.Name, folder bool) error {
	parent, err := s.openParent(from)
	if err != nil {
		return err
	}
	err = s.renameFrom(parent, from.Base(), to, unix.RENAME_NOREPLACE)
	if err := errors.Join(err, s.closeParent(parent)); !lacksNoReplace(err) {
		return err
	}
	return s.relocateNewPlainly(from, to, folder)
}

// lacksNoReplace reports that the file system has no RENAME_NOREPLACE.
func lacksNoReplace(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS)
}

// renameFrom moves what is called base in the folder from to its name.
func (s *Store) renameFrom(from *os.File, base string, name storage.Name, flags uint) error {
	folder, err := s.openParent(name)
	if err != nil {
		return err
	}
	err = control(from, func(from int) error {
		return control(folder, func(to int) error {
			err := unix.Renameat2(from, base, to, name.Base(), flags)
			if err != nil {
				return &os.LinkError{Op: "rename", Old: base, New: name.String(), Err: err}
			}
			return nil
		})
	})
	return errors.Join(err, s.closeParent(folder))
}

// openParent opens the folder that holds name, until closeParent.
func (s *Store) openParent(name storage.Name) (*os.File, error) {
	parent := name.Parent()
	if parent.IsRoot() {
		return s.top, nil
	}
	return openNonblocking(s.root, parent.String())
}

func (s *Store) closeParent(folder *os.File) error {
	if folder == s.top {
		return nil // every upload needs it
	}
	return folder.Close()
}
