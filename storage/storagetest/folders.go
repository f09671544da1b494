package storagetest

import (
	"slices"
	"testing"

	"sluice/storage"
)

func makeFolder(t *testing.T, s storage.Store) {
	ctx := t.Context()
	Put(t, s, "file", nil)
	for _, name := range []string{"a", "b/c/d"} {
		if err := s.MakeFolder(ctx, Name(t, name)); err != nil {
			t.Errorf("make %s: %v", name, err)
		}
		wantErr(t, "make again", s.MakeFolder(ctx, Name(t, name)), storage.ErrExists)
	}
	for name, want := range map[string]error{
		"": storage.ErrExists, "file": storage.ErrExists, "file/below": storage.ErrNotFolder, "file/far/below": storage.ErrNotFolder,
	} {
		wantErr(t, "make "+name, s.MakeFolder(ctx, Name(t, name)), want)
	}
	tree(t, s, "/", "a/", "b/", "b/c/", "b/c/d/", "file")
}

// tree fails the test unless exactly these names stand in the store, in the
// order of a walk.
func tree(t *testing.T, s storage.Store, want ...string) {
	t.Helper()
	got, err := walked(t.Context(), s, storage.Name{})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the store holds %q (%v), want %q", got, err, want)
	}
}

func rename(t *testing.T, s storage.Store) {
	for _, name := range []string{"d/e/f", "d/g", "old", "x"} {
		Put(t, s, name, []byte(name))
	}
	for _, move := range []struct {
		from, to          string
		replace, replaced bool
	}{
		{"x", "y", false, false},
		{"y", "new/folders/y", true, false},
		{"d/g", "old", true, true},
		{"d", "new/d", false, false},
		{"new/d/e/f", "new/d/f", false, false},
	} {
		replaced, err := s.Rename(t.Context(), Name(t, move.from), Name(t, move.to), move.replace)
		if err != nil || replaced != move.replaced {
			t.Errorf("%s to %s: replaced %t, %v", move.from, move.to, replaced, err)
		}
	}
	tree(t, s, "/", "new/", "new/d/", "new/d/e/", "new/d/f", "new/folders/", "new/folders/y", "old")
	for name, content := range map[string]string{"new/d/f": "d/e/f", "new/folders/y": "x", "old": "d/g"} {
		want(t, name, Get(t, s, name), []byte(content))
	}
}

func renameRefuses(t *testing.T, s storage.Store) {
	for _, name := range []string{"d/f", "e/g", "a", "b"} {
		Put(t, s, name, []byte(name))
	}
	if err := s.MakeFolder(t.Context(), Name(t, "empty")); err != nil {
		t.Fatal(err)
	}
	for _, move := range []struct {
		from, to string
		replace  bool
		err      error
	}{
		{"a", "b", false, storage.ErrExists},
		{"a", "d", false, storage.ErrExists},
		{"a", "d", true, storage.ErrIsFolder},
		{"a", "empty", true, storage.ErrIsFolder},
		{"d", "empty", true, storage.ErrIsFolder},
		{"d", "empty", false, storage.ErrExists},
		{"d", "a", true, storage.ErrNotFolder},
		{"a", "", true, storage.ErrIsFolder},
		{"a", "a", true, storage.ErrIntoItself},
		{"d", "d/f/g", true, storage.ErrIntoItself},
		{"d", "d/new", false, storage.ErrIntoItself},
		{"", "x", false, storage.ErrIntoItself},
		{"none", "x/y", false, storage.ErrNotFound},
		{"a/b", "x", false, storage.ErrNotFolder},
		{"a", "b/x", true, storage.ErrNotFolder},
		{"a", "b/x/y", true, storage.ErrNotFolder},
	} {
		_, err := s.Rename(t.Context(), Name(t, move.from), Name(t, move.to), move.replace)
		wantErr(t, move.from+" to "+move.to, err, move.err)
	}
	tree(t, s, "/", "a", "b", "d/", "d/f", "e/", "e/g", "empty/")
	want(t, "b", Get(t, s, "b"), []byte("b"))
}
