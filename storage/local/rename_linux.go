package local

import (
	"errors"
	"os"

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
	return s.renameTo(temp, name, 0)
}

// renameNew is rename that fails with fs.ErrExist where something stands there.
func (s *Store) renameNew(temp string, name storage.Name) error {
	err := s.renameTo(temp, name, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return s.linkNew(temp, name) // a file system without it
	}
	return err
}

func (s *Store) renameTo(temp string, name storage.Name, flags uint) error {
	folder := s.top
	if parent := name.Parent(); !parent.IsRoot() {
		var err error
		if folder, err = openNonblocking(s.root, parent.String()); err != nil {
			return err
		}
		defer folder.Close()
	}
	return control(s.uploads, func(from int) error {
		return control(folder, func(to int) error {
			err := unix.Renameat2(from, temp, to, name.Base(), flags)
			if err != nil {
				return &os.LinkError{Op: "rename", Old: temp, New: name.String(), Err: err}
			}
			return nil
		})
	})
}
