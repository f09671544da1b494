package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// disk is a small file system of a test's own.
type disk struct {
	t   testing.TB
	dir string
}

// disks are the file systems that are filled up, of 64 MiB each.
var disks = []struct {
	name  string
	mount func(t testing.TB) *disk
}{
	{"tmpfs", func(t testing.TB) *disk { return mountTmpfs(t, "size=64m") }},
	{"ext4", func(t testing.TB) *disk { return mountExt4(t) }},
}

// mountTmpfs mounts a file system in memory.
func mountTmpfs(t testing.TB, options string) *disk {
	t.Helper()
	d := &disk{t, folder(t)}
	if err := unix.Mount("tmpfs", d.dir, "tmpfs", 0, options); err != nil {
		t.Fatalf("mount tmpfs (needs root): %v", err)
	}
	t.Cleanup(d.unmount)
	return d
}

// mountExt4 mounts a file system of 64 MiB that stands in a file. Options are
// those of mkfs.ext4.
func mountExt4(t testing.TB, options ...string) *disk {
	t.Helper()
	image := write(t, "image", nil)
	if err := os.Truncate(image, 64*mib); err != nil {
		t.Fatal(err)
	}
	d := &disk{t, folder(t)}
	do(t, "mkfs.ext4", append(options, "-q", "-m", "0", image)...)
	do(t, "mount", "-o", "loop", image, d.dir)
	t.Cleanup(d.unmount)
	return d
}

// do runs a tool, which must succeed.
func do(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := toolCommand(t, name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// unmount waits for the children that another test may be starting: for a
// moment they share all that this process has open.
func (d *disk) unmount() {
	eventually(d.t, "the disk can be unmounted", func() bool { return unix.Unmount(d.dir, 0) == nil })
}

// root is the server's root on the disk.
func (d *disk) root() string { return filepath.Join(d.dir, "root") }

// free is what may still be written, in bytes.
func (d *disk) free() int64 {
	d.t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(d.dir, &st); err != nil {
		d.t.Fatal(err)
	}
	return int64(st.Bavail) * int64(st.Bsize)
}

// regains waits until as much is free as was before, but for a folder's few
// blocks.
func (d *disk) regains(before int64) {
	d.t.Helper()
	eventually(d.t, "the space is free again", func() bool { return d.free() > before-mib/4 })
}

// fill takes n bytes of the disk, until the file it returns is removed.
func (d *disk) fill(n int64) (path string) {
	d.t.Helper()
	path = filepath.Join(d.dir, "filler")
	file, err := os.Create(path)
	if err != nil {
		d.t.Fatal(err)
	}
	defer file.Close()
	if err := unix.Fallocate(int(file.Fd()), 0, 0, n); err != nil {
		d.t.Fatal(err)
	}
	return path
}

// readOnly switches writing to the disk off or on. Nothing may be open for
// writing.
func (d *disk) readOnly(on bool) {
	d.t.Helper()
	flags := uintptr(unix.MS_REMOUNT)
	if on {
		flags |= unix.MS_RDONLY
	}
	var err error
	eventually(d.t, "the disk is mounted again", func() bool {
		err = unix.Mount("", d.dir, "", flags, "")
		return err != unix.EBUSY
	})
	if err != nil {
		d.t.Fatal(err)
	}
}
