package storagetest

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/minio/crc64nvme"

	"sluice/storage"
)

func create(t *testing.T, s storage.Store, spec storage.ResumableSpec) storage.Resumable {
	t.Helper()
	r, err := s.CreateResumable(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// resume finds the upload anew, as after a restart.
func resume(t *testing.T, s storage.Store, r storage.Resumable) storage.Resumable {
	t.Helper()
	again, err := s.Resume(t.Context(), r.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func resumableInPieces(t *testing.T, s storage.Store) {
	content := Content(2<<20 + 7)
	spec := storage.ResumableSpec{
		Name: Name(t, "d/resumed"), Size: int64(len(content)),
		Metadata: map[string]string{"filename": "resumed", "note": "ü\n", "bytes": "\xff\x00"},
	}
	r := create(t, s, spec)
	for off := 0; off < len(content); {
		r = resume(t, s, r)
		n := min(off/2+4095, len(content)-off)
		kept, err := r.Append(t.Context(), storage.Piece{Offset: int64(off)}, bytes.NewReader(content[off:off+n]))
		if err != nil || kept != int64(n) {
			t.Fatalf("append %d at %d: %d, %v", n, off, kept, err)
		}
		off += n
		if info := resume(t, s, r).Info(); info.Offset != int64(off) || info.Finished || info.Metadata["note"] != "ü\n" || info.Metadata["bytes"] != "\xff\x00" {
			t.Fatalf("after %d bytes: %+v", off, info)
		}
	}
	for range 2 {
		r = resume(t, s, r)
		published, err := r.Finish(t.Context())
		if err != nil || published.Digest != storage.NewCRC64NVME(crc64nvme.Checksum(content)) {
			t.Fatalf("finish: %+v, %v", published, err)
		}
		want(t, "finished upload", Get(t, s, "d/resumed"), content)
	}
	if info := resume(t, s, r).Info(); !info.Finished || info.Offset != spec.Size {
		t.Errorf("finished upload: %+v", info)
	}
	_, err := r.Append(t.Context(), storage.Piece{Offset: spec.Size}, strings.NewReader("x"))
	wantErr(t, "append to a finished upload", err, storage.ErrFinished)
}

func resumableKeepsWhatArrived(t *testing.T, s storage.Store) {
	content := Content(600_000)
	r := create(t, s, storage.ResumableSpec{Name: Name(t, "f"), Size: int64(len(content))})
	off := 0
	for _, n := range []int{1, 5000, 64 << 10, 300_001} {
		src := io.MultiReader(bytes.NewReader(content[off:off+n]), iotest.ErrReader(errBroken))
		kept, err := r.Append(t.Context(), storage.Piece{Offset: int64(off)}, src)
		wantErr(t, "append from a stream that breaks", err, errBroken)
		if kept != int64(n) {
			t.Errorf("%d bytes arrived, %d were kept", n, kept)
		}
		off += n
		r = resume(t, s, r)
	}
	if _, err := r.Append(t.Context(), storage.Piece{Offset: int64(off)}, bytes.NewReader(content[off:])); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, "file", Get(t, s, "f"), content)
}

func resumableRefuses(t *testing.T, s storage.Store) {
	ctx := t.Context()
	for _, id := range []string{"", ".", "..", "../../f", "x", strings.Repeat("0", 32), "info", strings.Repeat("A", 32)} {
		_, err := s.Resume(ctx, id)
		wantErr(t, "resume "+id, err, storage.ErrNotFound)
	}
	r := create(t, s, storage.ResumableSpec{Size: 10})
	if name := r.Info().Name.String(); name != r.Info().ID {
		t.Errorf("an upload without a name is called %q", name)
	}
	_, err := r.Append(ctx, storage.Piece{Offset: 1}, strings.NewReader("x"))
	wantErr(t, "append with a gap", err, storage.ErrOffset)
	_, err = r.Finish(ctx)
	wantErr(t, "finish what is incomplete", err, storage.ErrIncomplete)
	kept, err := r.Append(ctx, storage.Piece{}, strings.NewReader("0123456789A"))
	wantErr(t, "append too much", err, storage.ErrSizeExceeded)
	if kept != 10 {
		t.Errorf("of the 10 bytes that fit %d were kept", kept)
	}
	wantErr(t, "shrink below the offset", r.SetSize(ctx, 9), storage.ErrSizeExceeded)
}

func resumableDeferredSize(t *testing.T, s storage.Store) {
	ctx := t.Context()
	r := create(t, s, storage.ResumableSpec{Name: Name(t, "deferred"), Size: storage.UnknownSize})
	if _, err := r.Append(ctx, storage.Piece{}, strings.NewReader("abc")); err != nil {
		t.Fatal(err)
	}
	_, err := r.Finish(ctx)
	wantErr(t, "finish without a size", err, storage.ErrIncomplete)
	if err := r.SetSize(ctx, 3); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t, s, r).Finish(ctx); err != nil {
		t.Fatal(err)
	}
	want(t, "file", Get(t, s, "deferred"), []byte("abc"))
}

func resumableDrop(t *testing.T, s storage.Store) {
	ctx := t.Context()
	dropped := create(t, s, storage.ResumableSpec{Name: Name(t, "dropped"), Size: 1})
	finished := create(t, s, storage.ResumableSpec{Name: Name(t, "kept"), Size: 0})
	if _, err := finished.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	for _, r := range []storage.Resumable{dropped, finished} {
		if err := r.Drop(ctx); err != nil {
			t.Fatal(err)
		}
		_, err := s.Resume(ctx, r.Info().ID)
		wantErr(t, "resume what was dropped", err, storage.ErrNotFound)
	}
	want(t, "finished file", Get(t, s, "kept"), nil)
}

// concurrentWriters lets many uploads of one name finish at once: the file is
// one of them, whole.
func concurrentWriters(t *testing.T, s storage.Store) {
	const writers = 8
	name := Name(t, "contended/f")
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			content := bytes.Repeat([]byte{byte(i)}, 100_000)
			if _, err := put(context.Background(), s, name, bytes.NewReader(content), 100_000); err != nil {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	got := Get(t, s, "contended/f")
	want(t, "contended file", got, bytes.Repeat(got[:1], 100_000))
}
