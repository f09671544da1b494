//go:build !linux

package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

// largeFile is no flag of these systems, which open files of any size.
const largeFile = 0

// directAlign reports that there is no direct I/O.
func directAlign(*os.File) int { return 0 }

func setDirectFlag(_ *os.File, on bool) error {
	if on {
		return errors.ErrUnsupported
	}
	return nil
}

func preallocate(*os.File, int64) (bool, error) { return false, nil }

func freeBytes(*os.File) (int64, bool) { return 0, false }

// writable can't tell before it is tried.
func writable(*os.File) error { return nil }

func startWriteback(*os.File, int64, int64) {}

func syncData(file *os.File) error { return file.Sync() }

// syncDir does nothing on Windows, where folders can't be synced and renames
// are durable by the journal.
func syncDir(dir *os.File) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return dir.Sync()
}

// openNonblocking refuses what isn't a file or folder before it opens it, for
// opening a FIFO would wait for its other end.
func openNonblocking(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	return root.Open(name)
}

// version tells one content from the next under the same name.
func version(info fs.FileInfo) string {
	return fmt.Sprintf("%x-%x", info.ModTime().UnixNano(), info.Size())
}
