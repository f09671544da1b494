package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sluice/storage"
	"sluice/storage/local"
)

// allocated is what a file takes of the disk, in bytes.
func allocated(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Blocks * 512
}

// The space of a declared length is set aside on the disk, whenever the length
// is told, and stays so when what a crash has left behind the offset is cut off.
func TestReservation(t *testing.T) {
	t.Parallel()
	const size = 4 << 20
	for _, test := range []struct {
		name     string
		deferred bool
	}{{"declared at once", false}, {"declared later", true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			s, _ := open(t, local.Options{Root: root})
			spec := storage.ResumableSpec{Size: size}
			if test.deferred {
				spec.Size = storage.UnknownSize
			}
			r, err := s.CreateResumable(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			if test.deferred {
				if err := r.SetSize(t.Context(), size); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(root, ".sluice", "uploads", r.Info().ID)
			if got := allocated(t, path); got < size {
				t.Errorf("%d bytes are set aside, want %d", got, size)
			}
			leftover(t, path, size/2)
			if _, err := r.Append(t.Context(), storage.Piece{}, strings.NewReader("begin")); err != nil {
				t.Fatal(err)
			}
			if got := allocated(t, path); got < size {
				t.Errorf("%d bytes are set aside after the cut, want %d", got, size)
			}
			if info, err := os.Stat(path); err != nil || info.Size() != int64(len("begin")) {
				t.Errorf("the file is %v, %v", info, err)
			}
		})
	}
}

// leftover writes n bytes that no state knows of.
func leftover(t *testing.T, path string, n int) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(make([]byte, n)); err != nil {
		t.Fatal(err)
	}
}
