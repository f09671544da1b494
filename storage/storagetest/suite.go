// Package storagetest is the behaviour that every store must show. A store's
// own tests call Run and add what only they can see.
package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/minio/crc64nvme"

	"sluice/storage"
)

// Run checks a store. Open returns an empty one, closed by t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) storage.Store) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s storage.Store)
	}{
		{"round trip", roundTrip},
		{"unpublished is invisible", unpublishedIsInvisible},
		{"failed receive keeps the old file", failedReceiveKeepsOld},
		{"length is checked", lengthIsChecked},
		{"digests are checked", digestsAreChecked},
		{"names in the way", namesInTheWay},
		{"open object outlives replacement", objectOutlivesReplacement},
		{"versions differ", versionsDiffer},
		{"digests are right", digestsAreRight},
		{"pieces are verified", piecesAreVerified},
		{"parts are joined", partsAreJoined},
		{"parts are not to be mistaken", partsAreParts},
		{"ranges", ranges},
		{"list", list},
		{"walk", walk},
		{"remove", remove},
		{"make folder", makeFolder},
		{"rename", rename},
		{"rename refuses", renameRefuses},
		{"resumable in pieces", resumableInPieces},
		{"resumable keeps what arrived", resumableKeepsWhatArrived},
		{"resumable refuses", resumableRefuses},
		{"resumable deferred size", resumableDeferredSize},
		{"resumable drop", resumableDrop},
		{"concurrent writers of one name", concurrentWriters},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

// Name parses a name that a test relies on.
func Name(t testing.TB, s string) storage.Name {
	t.Helper()
	name, err := storage.ParseName(s)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// Content returns n bytes that differ at every place.
func Content(n int) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)}).Read(p)
	return p
}

// Put stores content under name.
func Put(t *testing.T, s storage.Store, name string, content []byte) storage.Published {
	t.Helper()
	published, err := put(t.Context(), s, Name(t, name), bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatalf("put %s: %v", name, err)
	}
	return published
}

func put(ctx context.Context, s storage.Store, name storage.Name, src io.Reader, size int64) (storage.Published, error) {
	up, err := s.Create(ctx, storage.UploadSpec{Name: name, Size: size})
	if err != nil {
		return storage.Published{}, err
	}
	if _, err := up.Receive(ctx, src); err != nil {
		return storage.Published{}, errors.Join(err, up.Abort())
	}
	published, err := up.Publish(ctx)
	return published, errors.Join(err, up.Abort())
}

// Get reads all of name.
func Get(t *testing.T, s storage.Store, name string) []byte {
	t.Helper()
	object, err := s.Open(t.Context(), Name(t, name))
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	defer object.Close()
	return send(t, object, 0, object.Info().Size)
}

func send(t *testing.T, object storage.Object, off, n int64) []byte {
	t.Helper()
	var out bytes.Buffer
	sent, err := object.Send(t.Context(), &out, off, n)
	if err != nil || sent != n {
		t.Fatalf("send %d bytes from %d: %d, %v", n, off, sent, err)
	}
	return out.Bytes()
}

func want(t *testing.T, what string, got, content []byte) {
	t.Helper()
	if !bytes.Equal(got, content) {
		t.Errorf("%s: %d bytes, want other %d bytes", what, len(got), len(content))
	}
}

func wantErr(t *testing.T, what string, got, sentinel error) {
	t.Helper()
	if !errors.Is(got, sentinel) {
		t.Errorf("%s: error %v, want %v", what, got, sentinel)
	}
}

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
