package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/minio/crc64nvme"

	"sluice/storage"
)

// sizes lie around the edges of pages and blocks.
var sizes = []int{
	0, 1, 511, 4095, 4096, 4097, 64<<10 - 1, 64 << 10, 64<<10 + 1, 128 << 10, 128<<10 + 1,
	1<<20 - 1, 1 << 20, 1<<20 + 4097, 5<<20 + 3,
}

func roundTrip(t *testing.T, s storage.Store) {
	for _, size := range sizes {
		for _, declared := range []int64{int64(size), storage.UnknownSize} {
			name, content := fmt.Sprintf("a folder/%d of %d", size, declared), Content(size)
			published, err := put(t.Context(), s, Name(t, name), bytes.NewReader(content), declared)
			if err != nil {
				t.Fatalf("put %s: %v", name, err)
			}
			want(t, name, Get(t, s, name), content)
			if published.Size != int64(size) || published.Replaced {
				t.Errorf("%s: published as %+v", name, published)
			}
			if digest := storage.NewCRC64NVME(crc64nvme.Checksum(content)); published.Digest != digest {
				t.Errorf("%s: digest %s, want %s", name, published.Digest, digest)
			}
		}
	}
}

func unpublishedIsInvisible(t *testing.T, s storage.Store) {
	up, err := s.Create(t.Context(), storage.UploadSpec{Name: Name(t, "new/file"), Size: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := up.Receive(t.Context(), strings.NewReader("abc")); err != nil {
		t.Fatal(err)
	}
	_, err = s.Open(t.Context(), Name(t, "new/file"))
	wantErr(t, "open before publish", err, storage.ErrNotFound)
	if err := up.Abort(); err != nil {
		t.Fatal(err)
	}
	_, err = up.Publish(t.Context())
	wantErr(t, "publish after abort", err, storage.ErrIncomplete)
	entries, _, err := s.List(t.Context(), storage.Name{}, 10)
	if err != nil || len(entries) != 0 {
		t.Errorf("after abort the root lists %v, %v", entries, err)
	}
}

var errBroken = errors.New("connection broke")

func failedReceiveKeepsOld(t *testing.T, s storage.Store) {
	old := Content(100_000)
	Put(t, s, "f", old)
	for _, size := range []int{10, 64 << 10, 300_000} {
		src := io.MultiReader(bytes.NewReader(Content(size)), iotest.ErrReader(errBroken))
		_, err := put(t.Context(), s, Name(t, "f"), src, storage.UnknownSize)
		wantErr(t, fmt.Sprintf("stream broken after %d bytes", size), err, errBroken)
		want(t, "old file", Get(t, s, "f"), old)
	}
}

func lengthIsChecked(t *testing.T, s storage.Store) {
	for _, size := range []int{0, 10, 64 << 10, 1<<20 + 1} {
		_, err := put(t.Context(), s, Name(t, "short"), bytes.NewReader(Content(size)), int64(size)+1)
		wantErr(t, fmt.Sprintf("%d bytes and one missing", size), err, storage.ErrTruncated)
		_, err = put(t.Context(), s, Name(t, "long"), bytes.NewReader(Content(size+1)), int64(size))
		wantErr(t, fmt.Sprintf("%d bytes and one more", size), err, storage.ErrSizeExceeded)
	}
	for _, name := range []string{"short", "long"} {
		_, err := s.Open(t.Context(), Name(t, name))
		wantErr(t, "open "+name, err, storage.ErrNotFound)
	}
}

// digestOf computes a digest as a sender does.
func digestOf(algorithm string, content []byte) storage.Digest {
	hash := storage.NewHash(algorithm)
	hash.Write(content)
	return storage.Digest{Algorithm: algorithm, Sum: string(hash.Sum(nil))}
}

func digestsAreChecked(t *testing.T, s storage.Store) {
	algorithms := []string{storage.SHA256, storage.SHA512, storage.MD5, storage.CRC64NVME}
	receive := func(content []byte, digests ...storage.Digest) error {
		up, err := s.Create(t.Context(), storage.UploadSpec{Name: Name(t, "f"), Size: storage.UnknownSize, Digests: digests})
		if err != nil {
			return err
		}
		if _, err := up.Receive(t.Context(), bytes.NewReader(content)); err != nil {
			return errors.Join(err, up.Abort())
		}
		_, err = up.Publish(t.Context())
		return err
	}
	for _, size := range []int{0, 1, 64 << 10, 64<<10 + 1, 1<<20 + 4097} {
		content := Content(size)
		var all []storage.Digest
		for _, algorithm := range algorithms {
			all = append(all, digestOf(algorithm, content))
		}
		if err := receive(content, all...); err != nil {
			t.Fatalf("%d bytes with all digests: %v", size, err)
		}
		want(t, fmt.Sprintf("%d bytes", size), Get(t, s, "f"), content)
		for i := range all {
			wrong := slices.Clone(all)
			wrong[i] = digestOf(algorithms[i], append(slices.Clone(content), 0))
			err := receive(Content(size), wrong...)
			var differ *storage.DigestError
			if !errors.Is(err, storage.ErrDigest) || !errors.As(err, &differ) {
				t.Fatalf("%d bytes with a wrong %s: error %v, want %v", size, algorithms[i], err, storage.ErrDigest)
			}
			if differ.Expected != wrong[i] || differ.Actual != all[i] {
				t.Errorf("%d bytes with a wrong %s: got %v", size, algorithms[i], differ)
			}
			want(t, "old file", Get(t, s, "f"), content)
		}
	}
}

func namesInTheWay(t *testing.T, s storage.Store) {
	Put(t, s, "folder/file", nil)
	ctx := t.Context()
	for _, c := range []struct {
		name storage.Name
		err  error
	}{
		{Name(t, "folder"), storage.ErrIsFolder},
		{storage.Name{}, storage.ErrIsFolder},
		{Name(t, "folder/file/below"), storage.ErrNotFolder},
	} {
		wantErr(t, "check "+c.name.String(), s.Check(c.name, nil), c.err)
		_, err := put(ctx, s, c.name, strings.NewReader(""), 0)
		wantErr(t, "put "+c.name.String(), err, c.err)
	}
	_, err := s.Open(ctx, Name(t, "folder"))
	wantErr(t, "open a folder", err, storage.ErrIsFolder)
	_, err = s.Open(ctx, Name(t, "none"))
	wantErr(t, "open nothing", err, storage.ErrNotFound)
	_, err = s.CreateResumable(ctx, storage.ResumableSpec{Name: Name(t, "folder"), Size: 1})
	wantErr(t, "resumable over a folder", err, storage.ErrIsFolder)
}

func objectOutlivesReplacement(t *testing.T, s storage.Store) {
	old := Content(2 << 20)
	Put(t, s, "f", old)
	object, err := s.Open(t.Context(), Name(t, "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	if published := Put(t, s, "f", Content(10)); !published.Replaced {
		t.Error("replacing isn't told")
	}
	if err := s.Remove(t.Context(), Name(t, "f")); err != nil {
		t.Fatal(err)
	}
	want(t, "open object", send(t, object, 0, object.Info().Size), old)
	if err := object.Unchanged(); err != nil {
		t.Errorf("a replaced and removed file is changed in place: %v", err)
	}
}

// digestsAreRight: a store may not know a digest, but never tells a wrong one.
func digestsAreRight(t *testing.T, s storage.Store) {
	content := Content(100_000)
	first := Put(t, s, "a", content)
	object, err := s.Open(t.Context(), Name(t, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	if digest := object.Info().Digest; !digest.IsZero() {
		if digest != first.Digest {
			t.Errorf("digest %s, published as %s", digest, first.Digest)
		}
		if second := Put(t, s, "b", content); second.Version != first.Version {
			t.Errorf("equal contents of known digest have versions %s and %s", first.Version, second.Version)
		}
	}
}

func versionsDiffer(t *testing.T, s storage.Store) {
	seen := map[string]bool{}
	for i := range 20 {
		published := Put(t, s, "f", []byte{byte(i)})
		object, err := s.Open(t.Context(), Name(t, "f"))
		if err != nil {
			t.Fatal(err)
		}
		if v := object.Info().Version; v != published.Version || seen[v] {
			t.Errorf("content %d: version %q when opened, %q when published, seen before: %t", i, v, published.Version, seen[v])
		}
		seen[published.Version] = true
		if err := object.Close(); err != nil {
			t.Error(err)
		}
	}
}

func ranges(t *testing.T, s storage.Store) {
	content := Content(3<<20 + 5)
	Put(t, s, "f", content)
	object, err := s.Open(t.Context(), Name(t, "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	size := len(content)
	for _, r := range [][2]int{
		{0, 0}, {0, 1}, {0, size}, {1, size - 1}, {4095, 2}, {4096, 4096}, {4097, 2 << 20},
		{size - 1, 1}, {size - 4097, 4097}, {64<<10 - 1, 64<<10 + 2}, {1 << 20, 2<<20 + 5},
	} {
		want(t, fmt.Sprintf("%d bytes from %d", r[1], r[0]), send(t, object, int64(r[0]), int64(r[1])), content[r[0]:r[0]+r[1]])
	}
	_, err = object.Send(t.Context(), io.Discard, int64(size)-10, 11)
	wantErr(t, "one byte too many", err, storage.ErrTruncated)
	_, err = object.Send(t.Context(), failingWriter{}, 0, int64(size))
	wantErr(t, "writer fails", err, errBroken)
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errBroken }

func list(t *testing.T, s storage.Store) {
	for _, name := range []string{"b", "a b", "c/d/e", "c/f", "ü"} {
		Put(t, s, name, []byte(name))
	}
	for _, test := range []struct {
		folder string
		limit  int
		want   []string
		more   bool
	}{
		{"", 10, []string{"a b", "b", "c/", "ü"}, false},
		{"", 2, []string{"a b", "b"}, true},
		{"", 4, []string{"a b", "b", "c/", "ü"}, false},
		{"c", 10, []string{"c/d/", "c/f"}, false},
	} {
		entries, more, err := s.List(t.Context(), Name(t, test.folder), test.limit)
		var got []string
		for _, e := range entries {
			name := e.Name.String()
			if e.Folder {
				name += "/"
			} else if e.Size == 0 || e.Version == "" || e.ModTime.IsZero() {
				t.Errorf("file %s is listed without its particulars: %+v", name, e)
			}
			got = append(got, name)
		}
		if err != nil || !slices.Equal(got, test.want) || more != test.more {
			t.Errorf("list %q up to %d: %q, %t, %v", test.folder, test.limit, got, more, err)
		}
	}
	_, _, err := s.List(t.Context(), Name(t, "none"), 10)
	wantErr(t, "list nothing", err, storage.ErrNotFound)
	_, _, err = s.List(t.Context(), Name(t, "b"), 10)
	wantErr(t, "list a file", err, storage.ErrNotFolder)
}

func walk(t *testing.T, s storage.Store) {
	for _, name := range []string{"b", "c/d/e", "c/d.x", "c/f", "ü", "c/empty/gone"} {
		Put(t, s, name, []byte(name))
	}
	if err := s.Remove(t.Context(), Name(t, "c/empty/gone")); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string][]string{
		"":    {"/", "b", "c/", "c/d/", "c/d/e", "c/d.x", "c/empty/", "c/f", "ü"},
		"c":   {"c/", "c/d/", "c/d/e", "c/d.x", "c/empty/", "c/f"},
		"c/d": {"c/d/", "c/d/e"},
	} {
		got, err := walked(t.Context(), s, Name(t, folder))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("walk %q: %q, %v; want %q", folder, got, err, want)
		}
	}
	_, err := walked(t.Context(), s, Name(t, "none"))
	wantErr(t, "walk nothing", err, storage.ErrNotFound)
	_, err = walked(t.Context(), s, Name(t, "b"))
	wantErr(t, "walk a file", err, storage.ErrNotFolder)

	for range s.Walk(t.Context(), storage.Name{}) {
		break // may be left at any time
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = walked(ended, s, storage.Name{})
	wantErr(t, "walk that is cancelled", err, context.Canceled)
}

// walked lists what a walk yields, and the error that ended it.
func walked(ctx context.Context, s storage.Store, folder storage.Name) (names []string, err error) {
	for info, err := range s.Walk(ctx, folder) {
		if err != nil {
			return names, err
		}
		name := info.Name.String()
		if info.Folder {
			name += "/"
		}
		names = append(names, name)
	}
	return names, nil
}

func remove(t *testing.T, s storage.Store) {
	Put(t, s, "d/f", nil)
	ctx := t.Context()
	wantErr(t, "a folder with a file", s.Remove(ctx, Name(t, "d")), storage.ErrNotEmpty)
	wantErr(t, "the root", s.Remove(ctx, storage.Name{}), storage.ErrPermission)
	wantErr(t, "nothing", s.Remove(ctx, Name(t, "d/g")), storage.ErrNotFound)
	for _, name := range []string{"d/f", "d"} {
		if err := s.Remove(ctx, Name(t, name)); err != nil {
			t.Errorf("remove %s: %v", name, err)
		}
	}
	_, _, err := s.List(ctx, Name(t, "d"), 10)
	wantErr(t, "list what was removed", err, storage.ErrNotFound)
}
