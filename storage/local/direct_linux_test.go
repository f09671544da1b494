package local

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// hasDirectIO asks the file system itself.
func hasDirectIO(t *testing.T, folder string) bool {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(folder, "probe"), os.O_CREATE|os.O_WRONLY|unix.O_DIRECT, 0o600)
	if err != nil {
		return false
	}
	defer file.Close()
	defer os.Remove(file.Name())
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(page)
	_, err = file.Write(page)
	return err == nil
}
