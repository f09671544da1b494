package e2e_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where the file system has direct I/O, uploads and downloads use it, and the
// page cache shows that they do.
func TestDirectIO(t *testing.T) {
	t.Parallel()
	const size = 64*mib + 1
	path := content(t, size)
	s := start(t)
	has := hasDirectIO(t, filepath.Dir(s.root))
	if s.directIO != has {
		t.Fatalf("the server says direct_io %t, the file system %t", s.directIO, has)
	}
	if !has {
		t.Skip("the file system has no direct I/O, and the server knows")
	}
	sendEachWay(t, s, path, "direct", func(t *testing.T, share float64) {
		if share > 0.01 {
			t.Errorf("the page cache holds %.1f %% of the file, want less than 1 %%", 100*share)
		}
	})
	downloadBy(t, s, path, "direct")
}

// Without direct I/O everything goes through the page cache: the counterpart,
// which shows that TestDirectIO can fail.
func TestBufferedIO(t *testing.T) {
	t.Parallel()
	path := content(t, 64*mib+1)
	s := start(t, "--io", "buffered", "--send", "sendfile")
	sendEachWay(t, s, path, "buffered", func(t *testing.T, share float64) {
		if share < 0.9 {
			t.Errorf("the page cache holds %.1f %% of the file, want more than 90 %%", 100*share)
		}
	})
	downloadBy(t, s, path, "buffered")
}

// sendEachWay uploads a file each way and checks that at least 99 % of it was
// written by the one path to the disk, and what share of it is cached.
func sendEachWay(t *testing.T, s *server, path, by string, check func(t *testing.T, share float64)) {
	t.Helper()
	for _, test := range []struct {
		name string
		send func(t *testing.T, s *server, path, name string)
	}{
		{"put.bin", sendPUT}, {"form.bin", sendForm}, {"tus.bin", sendTusCurl},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := s.in(t)
			before := s.scrape()
			test.send(t, s, path, test.name)
			check(t, cached(t, s.file(test.name)))
			checkPath(t, before, s.scrape(), "write", by)
			sameFile(t, s.file(test.name), path)
		})
	}
}

// downloadBy gets a file that isn't cached and checks by which path it was read
// from the disk.
func downloadBy(t *testing.T, s *server, path, by string) {
	t.Helper()
	evict(t, s.file("put.bin"))
	before := s.scrape()
	if err := download(s.fileURL("put.bin"), path); err != nil {
		t.Error(err)
	}
	eventually(t, "the download ends", s.atRest)
	checkPath(t, before, s.scrape(), "read", by)
}

// checkPath compares the bytes that the server counts for a path to the disk
// with those for all paths.
func checkPath(t *testing.T, before, after scrape, operation, by string) {
	t.Helper()
	moved := func(labels ...string) float64 {
		labels = append(labels, "operation="+operation)
		return after.sum(storageBytes, labels...) - before.sum(storageBytes, labels...)
	}
	if all, one := moved(), moved("path="+by); all == 0 || one < 0.99*all {
		t.Errorf("%.0f of %.0f bytes %s by the path %s, want at least 99 %%", one, all, operation, by)
	}
}

// hasDirectIO finds out by writing a block.
func hasDirectIO(t *testing.T, dir string) bool {
	t.Helper()
	fd, err := unix.Open(filepath.Join(dir, "probe"), unix.O_WRONLY|unix.O_CREAT|unix.O_DIRECT, 0o600)
	if errors.Is(err, unix.EINVAL) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	page, err := unix.Mmap(-1, 0, 64*kib, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE) // aligned
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(page)
	_, err = unix.Pwrite(fd, page, 0)
	return err == nil
}

// evict drops a file from the page cache.
func evict(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
}

// cached is the share of a file that stands in the page cache.
func cached(t *testing.T, path string) float64 {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	mem, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	page := os.Getpagesize()
	resident := make([]byte, (len(mem)+page-1)/page)
	_, _, errno := unix.Syscall(unix.SYS_MINCORE,
		uintptr(unsafe.Pointer(&mem[0])), uintptr(len(mem)), uintptr(unsafe.Pointer(&resident[0])))
	if errno != 0 {
		t.Fatal(errno)
	}
	pages := 0
	for _, r := range resident {
		pages += int(r & 1)
	}
	return float64(pages) / float64(len(resident))
}
