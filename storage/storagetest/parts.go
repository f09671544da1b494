package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/minio/crc64nvme"

	"sluice/storage"
)

func piecesAreVerified(t *testing.T, s storage.Store) {
	content := Content(3 << 20)
	r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Name: Name(t, "f"), Size: int64(len(content))})
	if err != nil {
		t.Fatal(err)
	}
	digest := func(algorithm string, of []byte) storage.Digest {
		hash := storage.NewHash(algorithm)
		hash.Write(of)
		return storage.Digest{Algorithm: algorithm, Sum: string(hash.Sum(nil))}
	}
	trailer := func(d storage.Digest, err error) func() (storage.Digest, error) {
		return func() (storage.Digest, error) { return d, err }
	}
	failed := errors.New("failed")
	off := 0
	for _, c := range []struct {
		name  string
		n     int
		piece func(of []byte) storage.Piece
		err   error
	}{
		{"right", 1000, func(of []byte) storage.Piece { return storage.Piece{Digest: digest(storage.SHA1, of)} }, nil},
		{"wrong", 1 << 20, func(of []byte) storage.Piece { return storage.Piece{Digest: digest(storage.SHA1, of[1:])} }, storage.ErrDigest},
		{"right, large", 1 << 20, func(of []byte) storage.Piece { return storage.Piece{Digest: digest(storage.CRC32, of)} }, nil},
		{"trailer wrong", 100_000, func(of []byte) storage.Piece {
			return storage.Piece{Trailer: trailer(digest(storage.MD5, nil), nil)}
		}, storage.ErrDigest},
		{"trailer right", 100_001, func(of []byte) storage.Piece {
			return storage.Piece{Trailer: trailer(digest(storage.SHA256, of), nil)}
		}, nil},
		{"trailer broken", 10, func([]byte) storage.Piece { return storage.Piece{Trailer: trailer(storage.Digest{}, failed)} }, failed},
		{"trailer missing", 10, func([]byte) storage.Piece { return storage.Piece{Trailer: trailer(storage.Digest{}, nil)} }, nil},
	} {
		of := content[off : off+c.n]
		piece := c.piece(of)
		piece.Offset = int64(off)
		kept, err := r.Append(t.Context(), piece, bytes.NewReader(of))
		wantErr(t, c.name, err, c.err)
		if c.err == nil {
			off += c.n
		}
		if int(r.Info().Offset) != off || (kept != 0) != (c.err == nil) {
			t.Fatalf("%s: kept %d, offset %d, want %d", c.name, kept, r.Info().Offset, off)
		}
	}
	// One that breaks off can't be verified, so nothing of it is kept.
	broken := io.MultiReader(bytes.NewReader(content[off:off+5000]), iotest.ErrReader(failed))
	_, err = r.Append(t.Context(), storage.Piece{Offset: int64(off), Digest: digest(storage.SHA1, content[off:])}, broken)
	wantErr(t, "broken off", err, failed)
	if _, err := r.Append(t.Context(), storage.Piece{Offset: int64(off)}, bytes.NewReader(content[off:])); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, "file", Get(t, s, "f"), content)
}

// parts makes complete parts of the content, cut at the given offsets.
func parts(t *testing.T, s storage.Store, content []byte, cuts ...int) (ids []string) {
	t.Helper()
	from := 0
	for _, to := range append(cuts, len(content)) {
		r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Size: int64(to - from), Part: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Append(t.Context(), storage.Piece{}, bytes.NewReader(content[from:to])); err != nil {
			t.Fatal(err)
		}
		ids, from = append(ids, r.Info().ID), to
	}
	return ids
}

func partsAreJoined(t *testing.T, s storage.Store) {
	content := Content(5<<20 + 77)
	for _, cuts := range [][]int{{}, {1 << 20, 1 << 20, 2 << 20}, {0, 1, 4097, 1<<20 + 3}, {len(content)}} {
		ids := parts(t, s, content, cuts...)
		spec := storage.ResumableSpec{Name: Name(t, "joined"), Parts: ids}
		r, err := s.CreateResumable(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if r.Info().Size != int64(len(content)) {
			t.Errorf("cut at %v: size %d", cuts, r.Info().Size)
		}
		published, err := r.Join(t.Context())
		if err != nil {
			t.Fatalf("cut at %v: %v", cuts, err)
		}
		if published.Digest != storage.NewCRC64NVME(crc64nvme.Checksum(content)) {
			t.Errorf("cut at %v: digest %s", cuts, published.Digest)
		}
		want(t, fmt.Sprintf("cut at %v", cuts), Get(t, s, "joined"), content)

		again, err := s.CreateResumable(t.Context(), spec)
		if err != nil || again.Info().ID != r.Info().ID {
			t.Fatalf("asked for again: %v", err)
		}
		if published, err := again.Join(t.Context()); err != nil || published.Name != spec.Name {
			t.Errorf("joined again: %+v, %v", published, err)
		}
		if err := s.Remove(t.Context(), spec.Name); err != nil {
			t.Fatal(err)
		}
	}
}

func partsAreParts(t *testing.T, s storage.Store) {
	ctx := t.Context()
	ids := parts(t, s, Content(300), 100, 200)
	short, err := s.CreateResumable(ctx, storage.ResumableSpec{Size: 10, Part: true})
	if err != nil {
		t.Fatal(err)
	}
	file, err := s.CreateResumable(ctx, storage.ResumableSpec{Name: Name(t, "f"), Size: 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		ids  []string
		err  error
	}{
		{"incomplete", []string{ids[0], short.Info().ID}, storage.ErrIncomplete},
		{"unknown", []string{ids[0], strings.Repeat("0", 32)}, storage.ErrNotFound},
		{"no id", []string{"../f"}, storage.ErrNotFound},
		{"no part", []string{file.Info().ID}, storage.ErrFinished},
		{"twice", []string{ids[0], ids[0]}, storage.ErrFinished},
	} {
		_, err := s.CreateResumable(ctx, storage.ResumableSpec{Name: Name(t, "j"), Parts: c.ids})
		wantErr(t, c.name, err, c.err)
	}
	part, err := s.Resume(ctx, ids[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Finish(ctx); err == nil {
		t.Error("a part was published")
	}
	r, err := s.CreateResumable(ctx, storage.ResumableSpec{Name: Name(t, "j"), Parts: ids})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Append(ctx, storage.Piece{}, strings.NewReader("x"))
	wantErr(t, "append to a joined upload", err, storage.ErrFinished)
	if _, err := r.Join(ctx); err != nil {
		t.Fatal(err)
	}
	_, err = s.CreateResumable(ctx, storage.ResumableSpec{Name: Name(t, "k"), Parts: ids[:2]})
	wantErr(t, "parts that are used up", err, storage.ErrFinished)
}
