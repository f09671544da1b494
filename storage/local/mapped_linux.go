package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"

	"sluice/storage"
)

// mapWindow is how much of a file is mapped at a time, in bytes.
const mapWindow = 4 << 20

// resident reports whether nearly all of a range of file is in the page cache.
func resident(file *os.File, off, n int64) bool {
	cached, err := cachedPages(file, off, n)
	pages := (n + minAlign - 1) / minAlign
	return err == nil && cached >= pages-pages/16
}

// cacheShare is the part of the memory that one file may take in the page cache.
const cacheShare = 4

// cacheable reports whether a file of size bytes may go into the page cache
// without pushing out most of what is there.
func cacheable(size int64) bool {
	var info unix.Sysinfo_t
	err := unix.Sysinfo(&info)
	return err == nil && uint64(size) <= uint64(info.Totalram)*uint64(info.Unit)/cacheShare
}

// cachedPages counts the pages of a range that the page cache holds, by
// cachestat(2), which Linux has since 6.5.
func cachedPages(file *os.File, off, n int64) (int64, error) {
	var (
		area = struct{ off, n uint64 }{uint64(off), uint64(n)}
		stat struct{ cache, dirty, writeback, evicted, recentlyEvicted uint64 }
	)
	err := control(file, func(fd int) error {
		_, _, errno := unix.Syscall6(unix.SYS_CACHESTAT, uintptr(fd),
			uintptr(unsafe.Pointer(&area)), uintptr(unsafe.Pointer(&stat)), 0, 0, 0)
		if errno != 0 {
			return errno
		}
		return nil
	})
	return int64(stat.cache), err
}

// sendMapped writes a range of file to w from the page cache's own memory: the
// one copy is the socket's.
func sendMapped(w io.Writer, file *os.File, off, n int64) (int64, error) {
	var sent int64
	for sent < n {
		at := off + sent
		skip := at % minAlign
		window := min(n-sent+skip, mapWindow)
		m, err := sendWindow(w, file, at-skip, skip, window)
		sent += m
		if err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// sendWindow maps a part of file and writes all of it but its first skip bytes.
//
// Where another program cuts the file short meanwhile, there is memory that
// nothing is behind any more. The kernel then refuses to send it, and a buffer
// on the way that copies from it faults; either ends this transfer alone.
func sendWindow(w io.Writer, file *os.File, at, skip, window int64) (n int64, err error) {
	var mem []byte
	err = control(file, func(fd int) (err error) {
		mem, err = unix.Mmap(fd, at, int(window), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_POPULATE)
		return err
	})
	if err != nil {
		return 0, classify("map", err)
	}
	defer unix.Munmap(mem)
	truncated := fmt.Errorf("%w: ends before offset %d", storage.ErrTruncated, at+window)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		cause := recover()
		if fault, ok := cause.(interface{ Addr() uintptr }); ok && within(mem, fault.Addr()) {
			err = truncated
		} else if cause != nil {
			panic(cause)
		}
	}()
	written, err := w.Write(mem[skip:])
	if errors.Is(err, unix.EFAULT) {
		err = truncated
	}
	return int64(written), err
}

func within(mem []byte, addr uintptr) bool {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return addr >= first && addr < first+uintptr(len(mem))
}
