package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/storage"
	"sluice/storage/local"
	"sluice/storage/storagetest"
)

// A start on damaged uploads sets them aside and serves on.
func TestDamagedUploads(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, data, info string)
	}{
		{"empty state", func(t *testing.T, _, info string) { write(t, info, "") }},
		{"torn state", func(t *testing.T, _, info string) { write(t, info, `{"id":"`) }},
		{"state of another", func(t *testing.T, _, info string) {
			write(t, info, `{"id":"`+strings.Repeat("0", 32)+`","name":"x","size":10,"offset":5,"crc64nvme":"0"}`)
		}},
		{"offset beyond the size", func(t *testing.T, data, info string) {
			write(t, info, `{"id":"`+filepath.Base(data)+`","name":"x","size":10,"offset":11,"crc64nvme":"0"}`)
		}},
		{"name that leads out", func(t *testing.T, data, info string) {
			write(t, info, `{"id":"`+filepath.Base(data)+`","name":"../x","size":10,"offset":5,"crc64nvme":"0"}`)
		}},
		{"data lost", func(t *testing.T, data, _ string) { remove(t, data) }},
		{"data cut", func(t *testing.T, data, _ string) { write(t, data, "0123") }},
		{"state lost", func(t *testing.T, _, info string) { remove(t, info) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			s, _ := open(t, local.Options{Root: root})
			var ids []string
			for range 2 {
				r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Size: 10})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := r.Append(t.Context(), storage.Piece{}, strings.NewReader("01234")); err != nil {
					t.Fatal(err)
				}
				ids = append(ids, r.Info().ID)
			}
			data := filepath.Join(root, ".sluice", "uploads", ids[0])
			test.damage(t, data, data+".info")

			again, _ := open(t, local.Options{Root: root})
			if damaged := again.Damaged(); len(damaged) != 1 || damaged[0].Err == nil {
				t.Fatalf("set aside: %v", damaged)
			}
			if left, _ := filepath.Glob(data + "*"); len(left) != 0 {
				t.Errorf("still there: %v", left)
			}
			if aside, _ := filepath.Glob(filepath.Join(root, ".sluice", "damaged", ids[0]+"*")); len(aside) == 0 {
				t.Error("nothing stands aside")
			}
			if _, err := again.Resume(t.Context(), ids[0]); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("resume the damaged one: %v", err)
			}
			if r, err := again.Resume(t.Context(), ids[1]); err != nil || r.Info().Offset != 5 {
				t.Errorf("resume the other: %v", err)
			}
		})
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// A crash between publishing an upload and writing that down is made good by
// the next start and call: the file stands there once, and is counted once.
func TestFinishAfterCrash(t *testing.T) {
	t.Parallel()
	const chosen = "f (1)"
	for _, test := range []struct {
		name     string
		conflict local.Conflict
		stored   string // the name that the file got
		place    func(data, file string) error
	}{
		{"renamed", local.ConflictOverwrite, "f", os.Rename},
		{"linked", local.ConflictReject, "f", os.Link},
		{"renamed beside another", local.ConflictRename, chosen, os.Rename},
		{"linked beside another", local.ConflictRename, chosen, os.Link},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opts := local.Options{Root: t.TempDir(), Conflict: test.conflict, Space: local.SpaceBounds{Quota: 1000}}
			s, _ := open(t, opts)
			r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Name: storagetest.Name(t, "f"), Size: 3})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Append(t.Context(), storage.Piece{}, strings.NewReader("abc")); err != nil {
				t.Fatal(err)
			}
			used, entries := int64(3), 2
			data := filepath.Join(opts.Root, ".sluice", "uploads", r.Info().ID)
			if test.stored == chosen {
				storagetest.Put(t, s, "f", []byte("older"))
				used, entries = used+5, entries+1
				edit(t, data+".info", `"finished":false`, `"chosen":"`+chosen+`","finished":false`)
			}
			if err := test.place(data, filepath.Join(opts.Root, test.stored)); err != nil {
				t.Fatal(err)
			}

			again, _ := open(t, opts)
			if damaged := again.Damaged(); len(damaged) != 0 {
				t.Fatalf("set aside: %v", damaged)
			}
			wantSpace(t, again, "after the start", used, 0)
			if r, err = again.Resume(t.Context(), r.Info().ID); err != nil {
				t.Fatal(err)
			}
			published, err := r.Finish(t.Context())
			if err != nil || published.Name.String() != test.stored || published.Size != 3 || published.Digest.IsZero() {
				t.Errorf("finish: %+v, %v", published, err)
			}
			wantSpace(t, again, "finished", used, 0)
			if r, err = again.Resume(t.Context(), r.Info().ID); err != nil || !r.Info().Finished || r.Info().Name.String() != test.stored {
				t.Errorf("what is written down of the upload: %+v, %v", r.Info(), err)
			}
			if _, err := os.Lstat(data); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the data is still there: %v", err)
			}
			if found, err := os.ReadDir(opts.Root); err != nil || len(found) != entries {
				t.Errorf("the root holds %v, %v", found, err)
			}
		})
	}
}

// edit replaces a part of a file.
func edit(t *testing.T, path, before, after string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), before) {
		t.Fatalf("%s holds %q, %v", path, text, err)
	}
	write(t, path, strings.Replace(string(text), before, after, 1))
}

// A crash while an upload was being removed: the start removes the rest.
func TestDropCutShort(t *testing.T) {
	t.Parallel()
	for _, gone := range []bool{false, true} {
		opts := local.Options{Root: t.TempDir(), Space: local.SpaceBounds{Quota: 1000}}
		s, _ := open(t, opts)
		r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Size: 10})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Append(t.Context(), storage.Piece{}, strings.NewReader("01234")); err != nil {
			t.Fatal(err)
		}
		data := filepath.Join(opts.Root, ".sluice", "uploads", r.Info().ID)
		if err := os.Rename(data+".info", data+".dropped"); err != nil {
			t.Fatal(err)
		}
		if gone {
			remove(t, data)
		}
		again, _ := open(t, opts)
		if damaged := again.Damaged(); len(damaged) != 0 {
			t.Errorf("set aside: %v", damaged)
		}
		if left, _ := filepath.Glob(data + "*"); len(left) != 0 {
			t.Errorf("still there: %v", left)
		}
		wantSpace(t, again, "after the start", 0, 0)
	}
}

// Where the data can't be removed, the upload is as it was.
func TestDropFails(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root})
	r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(root, ".sluice", "uploads", r.Info().ID)
	remove(t, data)
	if err := os.MkdirAll(filepath.Join(data, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := r.Drop(t.Context()); err == nil {
		t.Fatal("no error")
	}
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	if r, err = s.Resume(t.Context(), r.Info().ID); err != nil {
		t.Fatal(err)
	}
	if err := r.Drop(t.Context()); err != nil {
		t.Error(err)
	}
}

// What a crash has left beyond the offset is no part of the upload.
func TestBytesBeyondTheOffset(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root})
	r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Name: storagetest.Name(t, "f"), Size: storage.UnknownSize})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Append(t.Context(), storage.Piece{}, strings.NewReader("abc")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, ".sluice", "uploads", r.Info().ID), "abcdef")
	again, _ := open(t, local.Options{Root: root})
	if r, err = again.Resume(t.Context(), r.Info().ID); err != nil || r.Info().Offset != 3 {
		t.Fatalf("resume: %v", err)
	}
	if err := r.SetSize(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := storagetest.Get(t, again, "f"); string(got) != "abc" {
		t.Errorf("the file holds %q", got)
	}
}

// A crash while an upload was being created leaves nothing that anybody could
// miss: no client knows of it yet.
func TestCreationCutShort(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root})
	r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Size: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(root, ".sluice", "uploads", r.Info().ID)
	remove(t, data+".info")
	again, _ := open(t, local.Options{Root: root})
	if damaged := again.Damaged(); len(damaged) != 0 {
		t.Errorf("set aside: %v", damaged)
	}
	if left, _ := filepath.Glob(data + "*"); len(left) != 0 {
		t.Errorf("still there: %v", left)
	}
}
