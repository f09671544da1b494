//go:build unix

package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"sluice/storage"
	"sluice/storage/local"
	"sluice/storage/storagetest"
)

// A walk yields files and folders alone: no links, not even good ones, no
// devices, nothing of the store's own, and no names that no route could reach.
func TestWalkLeavesOut(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root})
	storagetest.Put(t, s, "d/f", []byte("x"))
	for link, target := range map[string]string{"d/file": "f", "folder": "d", "d/up": "..", "broken": "none", "out": "/etc"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "d", "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "d", `back\slash`), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var got []string
	for info, err := range s.Walk(t.Context(), storage.Name{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, info.Name.String())
	}
	if want := []string{"", "d", "d/f"}; !slices.Equal(got, want) {
		t.Errorf("walked %q, want %q", got, want)
	}
}

// What is removed while a walk goes on is left out.
func TestWalkWhileFoldersVanish(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root})
	for _, name := range []string{"a/1", "b/c/2", "d/3"} {
		storagetest.Put(t, s, name, []byte(name))
	}
	var got []string
	for info, err := range s.Walk(t.Context(), storage.Name{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, info.Name.String())
		if info.Name.String() == "a" {
			for _, name := range []string{"a/1", "b"} {
				if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if want := []string{"", "a", "d", "d/3"}; !slices.Equal(got, want) {
		t.Errorf("walked %q, want %q", got, want)
	}
}

// past is far enough back for every clock of a file system to see a change.
var past = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)

func TestUnchanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(f *os.File) error{
		"grown":       func(f *os.File) error { _, err := f.WriteAt([]byte("x"), 4); return err },
		"shrunk":      func(f *os.File) error { return f.Truncate(3) },
		"overwritten": func(f *os.File) error { _, err := f.WriteAt([]byte("x"), 0); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			s, _ := open(t, local.Options{Root: root})
			path := filepath.Join(root, "f")
			storagetest.Put(t, s, "f", []byte("text"))
			if err := os.Chtimes(path, past, past); err != nil {
				t.Fatal(err)
			}
			object, err := s.Open(t.Context(), storagetest.Name(t, "f"))
			if err != nil {
				t.Fatal(err)
			}
			defer object.Close()
			if err := object.Unchanged(); err != nil {
				t.Errorf("before: %v", err)
			}
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(change(f), f.Close()); err != nil {
				t.Fatal(err)
			}
			if err := object.Unchanged(); !errors.Is(err, storage.ErrChanged) {
				t.Errorf("after: %v, want %v", err, storage.ErrChanged)
			}
		})
	}
}
