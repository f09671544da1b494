package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sluice/storage"
	"sluice/storage/local"
	"sluice/storage/storagetest"
)

func tryPut(t *testing.T, s storage.Store, name, content string, condition storage.Condition) (storage.Published, error) {
	up, err := s.Create(t.Context(), storage.UploadSpec{Name: storagetest.Name(t, name), Size: int64(len(content)), Condition: condition})
	if err != nil {
		return storage.Published{}, err
	}
	defer up.Abort()
	if _, err := up.Receive(t.Context(), strings.NewReader(content)); err != nil {
		return storage.Published{}, err
	}
	return up.Publish(t.Context())
}

func TestConflictReject(t *testing.T) {
	t.Parallel()
	s, _ := open(t, local.Options{Conflict: local.ConflictReject})
	if _, err := tryPut(t, s, "f", "first", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := tryPut(t, s, "f", "second", nil); !errors.Is(err, storage.ErrExists) {
		t.Errorf("second upload: %v", err)
	}
	if got := storagetest.Get(t, s, "f"); string(got) != "first" {
		t.Errorf("the file holds %q", got)
	}
}

func TestConflictRename(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root, Conflict: local.ConflictRename})
	long := strings.Repeat("é", 125) + ".txt"
	for name, want := range map[string][]string{
		"d/f.tar":  {"d/f.tar", "d/f (1).tar", "d/f (2).tar"},
		".profile": {".profile", ".profile (1)", ".profile (2)"},
		long:       {long, strings.Repeat("é", 123) + " (1).txt", strings.Repeat("é", 123) + " (2).txt"},
	} {
		for i, expected := range want {
			published, err := tryPut(t, s, name, expected, nil)
			if err != nil || published.Name.String() != expected || published.Replaced {
				t.Errorf("upload %d of %s: %+v, %v; want %s", i, name, published, err, expected)
			}
			if got, err := os.ReadFile(filepath.Join(root, expected)); err != nil || string(got) != expected {
				t.Errorf("%s holds %q, %v", expected, got, err)
			}
		}
	}
}

// Many uploads of one name at once are all kept under names of their own.
func TestConflictRenameInACrowd(t *testing.T) {
	t.Parallel()
	s, _ := open(t, local.Options{Conflict: local.ConflictRename})
	const writers = 16
	names := make([]string, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			published, err := tryPut(t, s, "f", strings.Repeat("x", i), nil)
			if err != nil {
				t.Errorf("upload %d: %v", i, err)
				return
			}
			names[i] = published.Name.String()
		})
	}
	wg.Wait()
	for i, name := range names {
		if got := storagetest.Get(t, s, name); len(got) != i {
			t.Errorf("%s holds %d bytes, want %d", name, len(got), i)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != writers {
		t.Errorf("names were given twice: %q", names)
	}
}

// A condition that holds at the beginning is checked once more at the end.
func TestConditionAtPublish(t *testing.T) {
	t.Parallel()
	s, _ := open(t, local.Options{})
	absent := func(current *storage.Info) error {
		if current != nil {
			return storage.ErrCondition
		}
		return nil
	}
	const writers = 8
	won := make([]bool, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			_, err := tryPut(t, s, "f", string(rune('a'+i)), absent)
			won[i] = err == nil
			if err != nil && !errors.Is(err, storage.ErrCondition) {
				t.Errorf("upload %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	winner := slices.Index(won, true)
	if winner < 0 || slices.Contains(won[winner+1:], true) {
		t.Fatalf("who won: %v, want exactly one", won)
	}
	if got := storagetest.Get(t, s, "f"); string(got) != string(rune('a'+winner)) {
		t.Errorf("the file holds %q, want the winner's", got)
	}
}
