package local

import (
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

// punchHole gives the blocks of a range back. It is a matter of space alone: the
// file is removed later.
func punchHole(file *os.File, off, n int64) {
	_ = control(file, func(fd int) error {
		return unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
	})
}
