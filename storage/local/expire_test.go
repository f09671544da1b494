package local_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/storage"
	"sluice/storage/local"
	"sluice/storage/storagetest"
)

// age makes an upload look as if nothing had happened to it for a while.
func age(t *testing.T, root, id string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	for _, ext := range []string{"", ".info"} {
		err := os.Chtimes(filepath.Join(root, ".sluice", "uploads", id+ext), then, then)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

func TestExpire(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root, Space: local.SpaceBounds{Quota: 1000}})
	ctx := t.Context()
	create := func(name string) storage.Resumable {
		r, err := s.CreateResumable(ctx, storage.ResumableSpec{Name: storagetest.Name(t, name), Size: 5})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	young, old, finished, active := create("young"), create("old"), create("finished"), create("active")
	if _, err := finished.Append(ctx, storage.Piece{}, strings.NewReader("01234")); err != nil {
		t.Fatal(err)
	}
	if _, err := finished.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	// The active one's piece began long ago and is still coming.
	body, client := io.Pipe()
	done := make(chan error)
	go func() {
		_, err := active.Append(ctx, storage.Piece{}, body)
		done <- err
	}()
	if _, err := client.Write([]byte("01")); err != nil {
		t.Fatal(err)
	}
	for _, r := range []storage.Resumable{old, finished, active} {
		age(t, root, r.Info().ID, 2*time.Hour)
	}
	expired, err := s.Expire(ctx, time.Now().Add(-time.Hour))
	if err != nil || len(expired) != 2 || expired[0].ID == expired[1].ID || expired[0].Finished == expired[1].Finished {
		t.Errorf("expired %v, %v; want the old one and the finished one", expired, err)
	}
	for _, r := range []storage.Resumable{old, finished} {
		if _, err := s.Resume(ctx, r.Info().ID); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("%s is still there: %v", r.Info().Name, err)
		}
	}
	if got := storagetest.Get(t, s, "finished"); string(got) != "01234" {
		t.Errorf("the finished file holds %q", got)
	}
	if _, err := s.Resume(ctx, young.Info().ID); err != nil {
		t.Errorf("the young one is gone: %v", err)
	}
	if _, err := client.Write([]byte("234")); err != nil {
		t.Fatal(err)
	}
	client.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := active.Finish(ctx); err != nil {
		t.Errorf("the active one can't be finished: %v", err)
	}
	wantSpace(t, s, "after expiry", 15, 5)
}

// Two pieces at once never interleave, whatever their callers lock.
func TestAppendIsExclusive(t *testing.T) {
	t.Parallel()
	s, _ := open(t, local.Options{})
	ctx := t.Context()
	r, err := s.CreateResumable(ctx, storage.ResumableSpec{Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	body, client := io.Pipe()
	done := make(chan error)
	go func() {
		_, err := r.Append(ctx, storage.Piece{}, body)
		done <- err
	}()
	if _, err := client.Write([]byte("0")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Append(ctx, storage.Piece{}, strings.NewReader("x")); !errors.Is(err, storage.ErrBusy) {
		t.Errorf("second piece: %v", err)
	}
	client.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
