package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fileSystems are those that have a word to be said about, by their magic number.
var fileSystems = map[int64]struct{ name, doubt string }{
	unix.EXT4_SUPER_MAGIC:      {"ext2/3/4", ""},
	unix.XFS_SUPER_MAGIC:       {"xfs", ""},
	unix.BTRFS_SUPER_MAGIC:     {"btrfs", ""},
	unix.F2FS_SUPER_MAGIC:      {"f2fs", ""},
	0x2fc12fc1:                 {"zfs", ""},
	unix.TMPFS_MAGIC:           {"tmpfs", "all of it is in memory and gone with the power"},
	unix.RAMFS_MAGIC:           {"ramfs", "all of it is in memory and gone with the power"},
	unix.OVERLAYFS_SUPER_MAGIC: {"overlay", "it is a container's own layer, gone with the container: mount a volume"},
	unix.NFS_SUPER_MAGIC:       {"nfs", "locks, syncs and speed are those of the network"},
	unix.SMB2_SUPER_MAGIC:      {"smb", "names, syncs and speed are those of another server"},
	unix.CIFS_SUPER_MAGIC:      {"cifs", "names, syncs and speed are those of another server"},
	unix.FUSE_SUPER_MAGIC:      {"fuse", "what it promises depends on the program behind it"},
	unix.V9FS_MAGIC:            {"9p", "what it promises depends on the host"},
	unix.MSDOS_SUPER_MAGIC:     {"fat", "files are at most 4 GiB, names aren't kept as they are"},
}

// fileSystem looks at what the root's file system can do of what the server makes
// use of.
func fileSystem(m Machine, f *findings) {
	dir, err := scratch(m.Root)
	if err != nil {
		return // root has told
	}
	defer os.RemoveAll(dir)
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		f.problem(nil, "statfs: %v", err)
		return
	}
	kind, known := fileSystems[int64(st.Type)&0xffffffff]
	switch {
	case !known:
		f.ok("type %#x", st.Type)
	case kind.doubt != "":
		f.warn(setting("sluice", "--root on a local disk"), "%s: %s", kind.name, kind.doubt)
	default:
		f.ok("%s", kind.name)
	}
	for _, trial := range trials {
		switch err := trial.try(dir); {
		case err == nil:
			f.ok("%s works", trial.what)
		case trial.level == OK:
			f.ok("no %s: %s", trial.what, trial.without)
		default:
			f.add(trial.level, setting("sluice", "--root on ext4, xfs or btrfs"), "no %s (%v): %s", trial.what, err, trial.without)
		}
	}
}

// trials are what the file system is asked for, each in a folder for it alone.
var trials = []struct {
	what    string
	try     func(dir string) error
	level   Level // where it is missing
	without string
}{
	{"renaming without replacing", tryRename, Problem, "uploads with If-None-Match can't be published"},
	{"direct I/O", tryDirect, Warning, "all goes through the page cache, at more processor time"},
	{"extended attributes", tryAttribute, Warning, "digests aren't kept with files, and ETags are made of time and size"},
	{"reserving space", tryReserve, Warning, "declared lengths are only counted, and disks can fill up in the middle of an upload"},
	{"sharing blocks of copies", tryClone, OK, "backups by cp --reflink take the space twice"},
}

func tryRename(dir string) error {
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := os.WriteFile(from, nil, 0o600); err != nil {
		return err
	}
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}

// tryDirect writes an aligned block past the page cache.
func tryDirect(dir string) error {
	const block = 4096
	fd, err := unix.Open(filepath.Join(dir, "direct"), unix.O_WRONLY|unix.O_CREAT|unix.O_DIRECT|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	memory := make([]byte, 2*block)
	off := int(-uintptr(unsafe.Pointer(&memory[0])) % block)
	_, err = unix.Pwrite(fd, memory[off:off+block], 0)
	return err
}

func tryAttribute(dir string) error {
	path := filepath.Join(dir, "attribute")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	return unix.Setxattr(path, "user.sluice-doctor", []byte("x"), 0)
}

func tryReserve(dir string) error {
	file, err := os.Create(filepath.Join(dir, "reserve"))
	if err != nil {
		return err
	}
	defer file.Close()
	return unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, 1<<16)
}

func tryClone(dir string) error {
	from := filepath.Join(dir, "original")
	if err := os.WriteFile(from, make([]byte, 1<<16), 0o600); err != nil {
		return err
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.Create(filepath.Join(dir, "clone"))
	if err != nil {
		return err
	}
	return errors.Join(unix.IoctlFileClone(int(target.Fd()), int(source.Fd())), target.Close())
}
