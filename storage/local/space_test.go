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

func wantSpace(t *testing.T, s *local.Store, what string, used, reserved int64) {
	t.Helper()
	if got := s.Space(); got.Used != used || got.Reserved != reserved {
		t.Errorf("%s: %d bytes used and %d reserved, want %d and %d", what, got.Used, got.Reserved, used, reserved)
	}
}

// Whatever becomes of uploads and files, the quota counts what is there and
// what has been promised.
func TestQuota(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "before"), make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, local.Options{Root: root, Space: local.SpaceBounds{Quota: 1000}})
	ctx := t.Context()
	wantSpace(t, s, "at the start", 100, 0)

	if _, err := tryPut(t, s, "f", strings.Repeat("x", 901), nil); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("one byte too many: %v", err)
	}
	wantSpace(t, s, "after a refusal", 100, 0)
	if _, err := tryPut(t, s, "f", strings.Repeat("x", 900), nil); err != nil {
		t.Errorf("exactly what is left: %v", err)
	}
	wantSpace(t, s, "full", 1000, 0)
	if err := s.Remove(ctx, storagetest.Name(t, "f")); err != nil {
		t.Fatal(err)
	}
	wantSpace(t, s, "after a removal", 100, 0)

	up, err := s.Create(ctx, storage.UploadSpec{Name: storagetest.Name(t, "g"), Size: 500})
	if err != nil {
		t.Fatal(err)
	}
	wantSpace(t, s, "promised", 600, 500)
	if _, err := up.Receive(ctx, strings.NewReader(strings.Repeat("x", 400))); !errors.Is(err, storage.ErrTruncated) {
		t.Fatal(err)
	}
	wantSpace(t, s, "partly received", 600, 100)
	if err := up.Abort(); err != nil {
		t.Fatal(err)
	}
	wantSpace(t, s, "aborted", 100, 0)

	storagetest.Put(t, s, "h", make([]byte, 300))
	storagetest.Put(t, s, "h", make([]byte, 200))
	wantSpace(t, s, "replaced", 300, 0)
}

// An upload without a declared length is cut off where the quota ends.
func TestQuotaOfUnknownLength(t *testing.T) {
	t.Parallel()
	s, _ := open(t, local.Options{Space: local.SpaceBounds{Quota: 1 << 20}})
	up, err := s.Create(t.Context(), storage.UploadSpec{Name: storagetest.Name(t, "f"), Size: storage.UnknownSize})
	if err != nil {
		t.Fatal(err)
	}
	n, err := up.Receive(t.Context(), strings.NewReader(strings.Repeat("x", 8<<20)))
	if !errors.Is(err, storage.ErrNoSpace) || n > 2<<20 {
		t.Errorf("received %d bytes, %v", n, err)
	}
	if err := up.Abort(); err != nil {
		t.Fatal(err)
	}
	wantSpace(t, s, "aborted", 0, 0)
}

func TestMinFree(t *testing.T) {
	t.Parallel()
	s, _ := open(t, local.Options{Space: local.SpaceBounds{MinFree: 1 << 60}})
	for _, size := range []int64{0, 1, storage.UnknownSize} {
		if _, err := s.Create(t.Context(), storage.UploadSpec{Name: storagetest.Name(t, "f"), Size: size}); !errors.Is(err, storage.ErrNoSpace) {
			t.Errorf("upload of %d bytes: %v", size, err)
		}
		if _, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Size: size}); !errors.Is(err, storage.ErrNoSpace) {
			t.Errorf("resumable upload of %d bytes: %v", size, err)
		}
	}
}

// What would be refused is known before an upload begins.
func TestCheckSpace(t *testing.T) {
	t.Parallel()
	quota, _ := open(t, local.Options{Space: local.SpaceBounds{Quota: 1000}})
	full, _ := open(t, local.Options{Space: local.SpaceBounds{MinFree: 1 << 60}})
	for _, test := range []struct {
		name  string
		store *local.Store
		size  int64
		want  error
	}{
		{"fits", quota, 1000, nil},
		{"passes the quota", quota, 1001, storage.ErrNoSpace},
		{"unknown", quota, storage.UnknownSize, nil},
		{"full disk", full, 0, storage.ErrNoSpace},
		{"full disk, unknown", full, storage.UnknownSize, storage.ErrNoSpace},
	} {
		if err := test.store.CheckSpace(test.size); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	wantSpace(t, quota, "only looked", 0, 0)
}

// A restart knows what resumable uploads were promised; finishing or dropping
// them gives it back.
func TestRestartKeepsReservations(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	opts := local.Options{Root: root, Space: local.SpaceBounds{Quota: 10000}}
	s, _ := open(t, opts)
	ctx := t.Context()
	var ids []string
	for _, name := range []string{"finished", "dropped"} {
		r, err := s.CreateResumable(ctx, storage.ResumableSpec{Name: storagetest.Name(t, name), Size: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Append(ctx, storage.Piece{}, strings.NewReader(strings.Repeat("x", 600))); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.Info().ID)
	}
	wantSpace(t, s, "before the restart", 2000, 800)
	again, _ := open(t, opts)
	wantSpace(t, again, "after the restart", 2000, 800)
	r, err := again.Resume(ctx, ids[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Append(ctx, storage.Piece{Offset: 600}, strings.NewReader(strings.Repeat("x", 400))); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	wantSpace(t, again, "one finished", 2000, 400)
	if r, err = again.Resume(ctx, ids[1]); err != nil {
		t.Fatal(err)
	}
	if err := r.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	wantSpace(t, again, "one dropped", 1000, 0)
}

// Uploads within a reservation take of it before they take more, and what they
// leave of it is given back.
func TestReserve(t *testing.T) {
	t.Parallel()
	s, _ := open(t, local.Options{Space: local.SpaceBounds{Quota: 1000}})
	create := func(name string, size int64, within storage.Reservation) storage.Upload {
		t.Helper()
		up, err := s.Create(t.Context(), storage.UploadSpec{Name: storagetest.Name(t, name), Size: size, Within: within})
		if err != nil {
			t.Fatal(err)
		}
		return up
	}
	receive := func(up storage.Upload, n int) error {
		_, err := up.Receive(t.Context(), strings.NewReader(strings.Repeat("x", n)))
		return err
	}
	r, err := s.Reserve(600)
	if err != nil {
		t.Fatal(err)
	}
	wantSpace(t, s, "reserved", 600, 600)
	if _, err := s.Reserve(401); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("one byte too many: %v", err)
	}
	first := create("first", storage.UnknownSize, r)
	if err := receive(first, 200); err != nil {
		t.Error(err)
	}
	wantSpace(t, s, "the first has come", 600, 400)
	second := create("second", 300, r)
	wantSpace(t, s, "the second is declared", 600, 400)
	if err := receive(second, 300); err != nil {
		t.Error(err)
	}
	wantSpace(t, s, "the second has come", 600, 100)
	third := create("third", storage.UnknownSize, r)
	if err := receive(third, 150); err != nil {
		t.Errorf("more than is reserved: %v", err)
	}
	wantSpace(t, s, "the third has come", 650, 0)
	fourth := create("fourth", storage.UnknownSize, r)
	if err := receive(fourth, 351); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("more than there is: %v", err)
	}
	for _, up := range []storage.Upload{second, third, fourth} {
		if err := up.Abort(); err != nil {
			t.Error(err)
		}
	}
	if _, err := first.Publish(t.Context()); err != nil {
		t.Error(err)
	}
	r.Release()
	wantSpace(t, s, "at the end", 200, 0)

	if r, err = s.Reserve(800); err != nil {
		t.Fatal(err)
	}
	r.Release()
	if r, err = s.Reserve(storage.UnknownSize); err != nil {
		t.Fatal(err)
	}
	r.Release()
	wantSpace(t, s, "released", 200, 0)
}
