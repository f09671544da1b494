// Package storagetest is the behaviour that every store must show. A store's
// own tests call Run and add what only they can see.
package storagetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

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
