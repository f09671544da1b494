package local

import (
	"os"

	"golang.org/x/sys/unix"
)

// attribute is the extended attribute that holds a file's stamp.
const attribute = "user.sluice"

func setAttribute(file *os.File, value []byte) error {
	return control(file, func(fd int) error { return unix.Fsetxattr(fd, attribute, value, 0) })
}

func getAttribute(file *os.File, into []byte) (n int, err error) {
	err = control(file, func(fd int) error {
		n, err = unix.Fgetxattr(fd, attribute, into)
		return err
	})
	return n, err
}
