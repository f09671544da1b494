package local

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// shareRange makes a range of dst share the blocks of one of src, which takes no
// time. It fails where the file system can't, or where the ranges don't begin at
// blocks.
func shareRange(dst, src *os.File, to, from, n int64) error {
	return control(dst, func(dst int) error {
		return control(src, func(src int) error {
			return unix.IoctlFileCloneRange(dst, &unix.FileCloneRange{
				Src_fd: int64(src), Src_offset: uint64(from), Src_length: uint64(n), Dest_offset: uint64(to),
			})
		})
	})
}

// copyStep is how much the kernel copies in one call, and what is on its way to
// the disk while it copies the next.
const copyStep = 16 << 20

// copyRange copies n bytes within the kernel, and starts their way to the disk.
func copyRange(dst, src *os.File, to, from, n int64) error {
	for n > 0 {
		copied, err := copyOnce(dst, src, to, from, int(min(n, copyStep)))
		if err != nil {
			return err
		}
		startWriteback(dst, to, int64(copied))
		dropCache(src, from, int64(copied))
		to, from, n = to+int64(copied), from+int64(copied), n-int64(copied)
	}
	return nil
}

func copyOnce(dst, src *os.File, to, from int64, n int) (copied int, err error) {
	err = control(dst, func(dst int) error {
		return control(src, func(src int) error {
			for {
				off, at := from, to
				copied, err = unix.CopyFileRange(src, &off, dst, &at, n, 0)
				if err != unix.EINTR {
					return err
				}
			}
		})
	})
	if errors.Is(err, unix.EXDEV) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return copyPlain(dst, src, to, from, n)
	}
	if err == nil && copied == 0 {
		err = io.ErrUnexpectedEOF
	}
	return copied, err
}

// dropCache lets go of what the page cache holds of a range that won't be read
// again.
func dropCache(file *os.File, off, n int64) {
	_ = control(file, func(fd int) error { return unix.Fadvise(fd, off, n, unix.FADV_DONTNEED) })
}

// punchHole gives the blocks of a range back. It is a matter of space alone: the
// file is removed later.
func punchHole(file *os.File, off, n int64) {
	_ = control(file, func(fd int) error {
		return unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
	})
}
