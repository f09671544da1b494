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
				if _, err := r.Append(t.Context(), 0, strings.NewReader("01234")); err != nil {
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
// the next call.
func TestFinishAfterCrash(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root})
	r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Name: storagetest.Name(t, "f"), Size: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Append(t.Context(), 0, strings.NewReader("abc")); err != nil {
		t.Fatal(err)
	}
	id := r.Info().ID
	if err := os.Rename(filepath.Join(root, ".sluice", "uploads", id), filepath.Join(root, "f")); err != nil {
		t.Fatal(err)
	}
	again, _ := open(t, local.Options{Root: root})
	if damaged := again.Damaged(); len(damaged) != 0 {
		t.Fatalf("set aside: %v", damaged)
	}
	if r, err = again.Resume(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if published, err := r.Finish(t.Context()); err != nil || published.Size != 3 || published.Digest.IsZero() {
		t.Errorf("finish: %+v, %v", published, err)
	}
	if r, err = again.Resume(t.Context(), id); err != nil || !r.Info().Finished {
		t.Errorf("it isn't written down that the upload is finished: %v", err)
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
	if _, err := r.Append(t.Context(), 0, strings.NewReader("abc")); err != nil {
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
