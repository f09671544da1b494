package handlers

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/storage"
)

// zeros is a file of zeros.
type zeros struct {
	info storage.Info
	// sent is how many bytes there really are, fault what Unchanged says.
	sent  int64
	fault error
}

var zeroBlock = make([]byte, 4<<20)

func (z *zeros) Info() storage.Info     { return z.info }
func (z *zeros) Stages() storage.Stages { return storage.Stages{Disk: time.Second} }
func (z *zeros) Unchanged() error       { return z.fault }
func (z *zeros) Close() error           { return nil }

func (z *zeros) Send(_ context.Context, w io.Writer, _, n int64) (int64, error) {
	var sent int64
	for want := min(n, z.sent); sent < want; {
		m, err := w.Write(zeroBlock[:min(want-sent, int64(len(zeroBlock)))])
		sent += int64(m)
		if err != nil {
			return sent, err
		}
	}
	if sent < n {
		return sent, storage.ErrTruncated
	}
	return sent, nil
}

// tree is a store of zeros, which can do nothing but what archives need.
type tree struct {
	storage.Store
	members []member
	walkErr error // ends the walk
}

// member is one entry of a tree, a folder if its name ends with a slash.
type member struct {
	name    string
	size    int64
	openErr error
	missing int64 // bytes that aren't there
	fault   error
}

var archiveTime = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

func (m member) info(t *testing.T) storage.Info {
	t.Helper()
	name, err := storage.ParseName(m.name)
	if err != nil {
		t.Fatal(err)
	}
	return storage.Info{Name: name, Size: m.size, Folder: strings.HasSuffix(m.name, "/"), ModTime: archiveTime}
}

type treeOf struct {
	tree
	t *testing.T
}

func (s treeOf) Walk(context.Context, storage.Name) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		for _, m := range s.members {
			if !yield(m.info(s.t), nil) {
				return
			}
		}
		if s.walkErr != nil {
			yield(storage.Info{}, s.walkErr)
		}
	}
}

func (s treeOf) Open(_ context.Context, name storage.Name) (storage.Object, error) {
	for _, m := range s.members {
		if m.name == name.String() {
			return &zeros{m.info(s.t), m.size - m.missing, m.fault}, m.openErr
		}
	}
	return nil, storage.ErrNotFound
}

// pack makes an archive of the folder d of a tree.
func pack(t *testing.T, kind string, w io.Writer, s tree) (*archive, error) {
	t.Helper()
	folder, err := storage.ParseName("d")
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{store: treeOf{s, t}, folder: folder, top: "d", kind: archiveKinds[kind]}
	return a, a.send(t.Context(), w)
}

// unpack lists an archive by name and size; every byte of it has been read.
func unpack(kind string, data []byte) ([]string, error) {
	if kind == "tar" {
		return untar(data)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			return nil, err
		}
		n, err := io.Copy(io.Discard, content)
		if err != nil {
			return nil, err
		}
		names = append(names, fmt.Sprint(f.Name, " ", n))
	}
	return names, nil
}

func untar(data []byte) (names []string, err error) {
	raw := bytes.NewReader(data)
	for r := tar.NewReader(raw); ; {
		left := raw.Len()
		head, err := r.Next()
		if err == io.EOF && left < tarEnd {
			return names, io.ErrUnexpectedEOF
		}
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		n, err := io.Copy(io.Discard, r)
		if err != nil {
			return nil, err
		}
		names = append(names, fmt.Sprint(head.Name, " ", n))
	}
}

// tarEnd is what stands at the end of a tar, in bytes. Without it, the archive
// has been cut off between two members.
const tarEnd = 1024

func TestArchive(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long/", 50) + "name"
	s := tree{members: []member{
		{name: "d/"}, {name: "d/a.txt", size: 3}, {name: "d/empty/"}, {name: "d/" + long, size: 1},
		{name: "d/vanished", openErr: storage.ErrNotFound}, {name: "d/한글 \u202e.pdf", size: 100_000}, {name: "d/zero"},
	}}
	want := []string{"d/ 0", "d/a.txt 3", "d/empty/ 0", "d/" + long + " 1", "d/한글 \u202e.pdf 100000", "d/zero 0"}
	for kind := range archiveKinds {
		var out bytes.Buffer
		a, err := pack(t, kind, &out, s)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := unpack(kind, out.Bytes()); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s holds %q, %v; want %q", kind, got, err, want)
		}
		if got := a.Stages(); got.Disk != 4*time.Second {
			t.Errorf("%s: stages %+v, want the sum of 4 files", kind, got)
		}
	}
}

// What can't be sent as it was opened ends the archive, which nobody takes for
// a whole one.
func TestArchiveThatBreaks(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for _, test := range []struct {
		name   string
		change func(s *tree)
		want   error
	}{
		{"shrunk", func(s *tree) { s.members[1].missing = 1 }, storage.ErrTruncated},
		{"changed", func(s *tree) { s.members[1].fault = storage.ErrChanged }, storage.ErrChanged},
		{"last one shrunk", func(s *tree) { s.members[2].missing = 1 }, storage.ErrTruncated},
		{"last one changed", func(s *tree) { s.members[2].fault = storage.ErrChanged }, storage.ErrChanged},
		{"forbidden", func(s *tree) { s.members[2].openErr = storage.ErrPermission }, storage.ErrPermission},
		{"walk ends", func(s *tree) { s.walkErr = storage.ErrBusy }, storage.ErrBusy},
	} {
		for kind := range archiveKinds {
			s := tree{members: []member{{name: "d/"}, {name: "d/a", size: size}, {name: "d/b", size: size}}}
			test.change(&s)
			var out bytes.Buffer
			if _, err := pack(t, kind, &out, s); !errors.Is(err, test.want) {
				t.Errorf("%s, %s: error %v, want %v", kind, test.name, err, test.want)
			}
			if names, err := unpack(kind, out.Bytes()); err == nil {
				t.Errorf("%s, %s: reads as a whole archive of %q", kind, test.name, names)
			}
		}
	}
}

// sparse keeps what is written but for large blocks, which are zeros.
type sparse struct {
	size   int64
	pieces []piece
}

type piece struct {
	at   int64
	data []byte
}

func (s *sparse) Write(p []byte) (int, error) {
	if len(p) < len(zeroBlock) {
		s.pieces = append(s.pieces, piece{s.size, bytes.Clone(p)})
	}
	s.size += int64(len(p))
	return len(p), nil
}

func (s *sparse) ReadAt(p []byte, off int64) (int, error) {
	if off >= s.size {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), s.size-off)]
	clear(p)
	for _, piece := range s.pieces {
		if at := piece.at - off; at < int64(len(p)) && at+int64(len(piece.data)) > 0 {
			copy(p[max(at, 0):], piece.data[max(-at, 0):])
		}
	}
	return len(p), nil
}

// Files of more than 4 GiB, and what stands behind them, need zip64.
func TestArchiveBeyond4GiB(t *testing.T) {
	t.Parallel()
	const size = 4<<30 + 1
	s := tree{members: []member{{name: "d/"}, {name: "d/big", size: size}, {name: "d/behind", size: 3}}}
	var out sparse
	if _, err := pack(t, "zip", &out, s); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(&out, out.size)
	if err != nil {
		t.Fatal(err)
	}
	big, behind := r.File[1], r.File[2]
	if big.UncompressedSize64 != size || big.CompressedSize64 != size {
		t.Errorf("big is %d bytes, %d in the archive; want %d", big.UncompressedSize64, big.CompressedSize64, int64(size))
	}
	if at, err := behind.DataOffset(); err != nil || at < size {
		t.Errorf("the file behind begins at %d, %v", at, err)
	}
	content, err := behind.Open()
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(content); err != nil || !bytes.Equal(data, make([]byte, 3)) {
		t.Errorf("the file behind holds %q, %v", data, err)
	}
}
