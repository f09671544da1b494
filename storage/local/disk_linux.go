package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// minAlign is the least alignment used for direct I/O: below the page size the
// page cache and direct writes would share a page at the seams.
const minAlign = 4096

// largeFile lets a 32-bit system open files of 2 GiB and more, which os.Root,
// other than os.OpenFile, doesn't ask it for.
const largeFile = unix.O_LARGEFILE

// directAlign returns the alignment in bytes that the file system asks for
// direct I/O on file, 0 where it has none.
func directAlign(file *os.File) int {
	if setDirectFlag(file, true) != nil {
		return 0
	}
	if setDirectFlag(file, false) != nil {
		return 0
	}
	var st unix.Statx_t
	err := unix.Statx(int(file.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &st)
	if err != nil || st.Mask&unix.STATX_DIOALIGN == 0 {
		return minAlign // a kernel or file system that can't tell
	}
	if st.Dio_offset_align == 0 {
		return 0
	}
	return int(max(st.Dio_offset_align, st.Dio_mem_align, minAlign))
}

// setDirectFlag switches O_DIRECT of an open file. It fails where the file
// system has no direct I/O.
func setDirectFlag(file *os.File, on bool) error {
	return control(file, func(fd int) error {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil {
			return err
		}
		if on {
			flags |= unix.O_DIRECT
		} else {
			flags &^= unix.O_DIRECT
		}
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags)
		return err
	})
}

// preallocate reserves size bytes for file without changing its length, so
// that a full disk is found before the first byte and the file isn't
// scattered. It reports whether the file system can do that.
func preallocate(file *os.File, size int64) (done bool, err error) {
	err = control(file, func(fd int) error {
		return unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, size)
	})
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return false, nil
	}
	return err == nil, err
}

// freeBytes is what an unprivileged writer may still write to the file system,
// in bytes.
func freeBytes(folder *os.File) (free int64, known bool) {
	var st unix.Statfs_t
	err := control(folder, func(fd int) error { return unix.Fstatfs(fd, &st) })
	return int64(st.Bavail) * int64(st.Bsize), err == nil
}

// writable fails where no file can be made in folder.
func writable(folder *os.File) error {
	return control(folder, func(fd int) error { return unix.Faccessat(fd, ".", unix.W_OK, 0) })
}

// startWriteback asks the kernel to begin writing the range out.
func startWriteback(file *os.File, off, n int64) {
	_ = control(file, func(fd int) error {
		return unix.SyncFileRange(fd, off, n, unix.SYNC_FILE_RANGE_WRITE)
	})
}

// syncData makes the content of file durable, and of its metadata what is
// needed to read it.
func syncData(file *os.File) error {
	return control(file, func(fd int) error {
		for {
			if err := unix.Fdatasync(fd); err != unix.EINTR {
				return err
			}
		}
	})
}

func syncDir(dir *os.File) error { return dir.Sync() }

// openNonblocking opens without waiting for the other end of a FIFO.
func openNonblocking(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|largeFile, 0)
}

// version tells one file from the next under the same name: a replacement is
// another inode, a change in place another time or size.
func version(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Sprintf("%x-%x", info.ModTime().UnixNano(), info.Size())
	}
	return fmt.Sprintf("%x-%x-%x", st.Ino, info.ModTime().UnixNano(), info.Size())
}

func control(file *os.File, do func(fd int) error) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	if err := conn.Control(func(fd uintptr) { result = do(int(fd)) }); err != nil {
		return err
	}
	return result
}
