package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// root looks at the folder of the files: whether it can be written, and who else
// can read it.
func root(m Machine, f *findings) {
	info, err := os.Stat(m.Root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.ok("%s doesn't exist yet: the server will make it", m.Root)
		return
	case err != nil:
		f.problem(setting("sluice", "--root with a folder that this user can reach"), "%v", err)
		return
	case !info.IsDir():
		f.problem(setting("sluice", "--root with a folder"), "%s is no folder", m.Root)
		return
	}
	dir, err := scratch(m.Root)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		f.problem(setting("system", "make room, or a file system with more inodes: mkfs.ext4 -N, or xfs"), "no file can be made: %v", err)
		return
	case err != nil:
		f.problem(setting("system", "chown "+m.Root+" to the user that sluice runs as, on a disk that isn't mounted read-only"), "can't be written by this user: %v", err)
		return
	}
	_ = os.Remove(dir) // it is empty
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o007 != 0 {
		f.warn(setting("system", "chmod o-rwx "+m.Root), "%s is open to every user of this machine (%v)", m.Root, mode)
		return
	}
	f.ok("%s can be written, and by nobody else", m.Root)
}

// scratch makes a folder below root for a trial, where the server looks for
// nothing, or in the nearest folder above that exists.
func scratch(root string) (string, error) {
	dir := existing(root)
	if own := filepath.Join(dir, ".sluice"); existing(own) == own {
		dir = own
	}
	return os.MkdirTemp(dir, ".doctor-")
}

// existing is the nearest folder that there is.
func existing(dir string) string {
	dir = filepath.Clean(dir)
	for {
		info, err := os.Stat(dir)
		up := filepath.Dir(dir)
		if err == nil && info.IsDir() || dir == up {
			return dir
		}
		dir = up
	}
}

// user looks at the user that the doctor runs as, which should be the server's.
func user(_ Machine, f *findings) {
	if os.Geteuid() == 0 {
		f.warn(setting("system", "run sluice, and its doctor, as a user of its own: User= in systemd, USER in a container"), "this is root: a fault in the server could do anything")
		return
	}
	f.ok("%s", fmt.Sprintf("user %d", os.Geteuid()))
}
