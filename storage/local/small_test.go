package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"sluice/storage"
	"sluice/storage/local"
)

// A folder of small files keeps whole ones, and forgets what a crash has left
// of others.
func TestFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root})
	for range 2 { // the second time it is there
		f, err := s.Folder("a/b")
		if err != nil {
			t.Fatal(err)
		}
		for _, durable := range []bool{true, false} {
			for _, content := range []string{"first", "second"} {
				if err := f.Write("file", []byte(content), durable); err != nil {
					t.Fatal(err)
				}
				if got, err := f.Read("file"); string(got) != content || err != nil {
					t.Errorf("read %q, %v, want %q", got, err, content)
				}
			}
		}
		for _, path := range []string{"a/b/crashed.tmp", "a/b/c/folder"} {
			path = filepath.Join(root, ".sluice", filepath.FromSlash(path))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if f, err = s.Folder("a/b"); err != nil {
			t.Fatal(err)
		}
		if files, err := f.List(); err != nil || len(files) != 1 || files[0].Name() != "file" || files[0].Size() != 6 {
			t.Errorf("list %v, %v, want the file", files, err)
		}
		if left, _ := filepath.Glob(filepath.Join(root, ".sluice", "a", "b", "*.tmp")); len(left) > 0 {
			t.Errorf("left %q", left)
		}
		if err := f.Remove("file"); err != nil {
			t.Error(err)
		}
		if _, err := f.Read("file"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("read what is removed: %v", err)
		}
		if _, err := f.Read("../../../outside"); err == nil {
			t.Error("the folder leads out of the root")
		}
	}
}
