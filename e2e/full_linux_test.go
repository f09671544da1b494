package e2e_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	// tooLarge does not fit on a small disk, whatever else stands there.
	tooLarge = 100_000_000
	// large fits on an empty one, but only once.
	large = 30_000_000
)

// A body that does not fit is refused. One whose length is known is not even
// asked for, and what came of the others is gone when the answer is there.
//
// https://github.com/tus/tusd/issues/178
// https://github.com/e2b-dev/infra/pull/1599
func TestTooLargeForTheDisk(t *testing.T) {
	t.Parallel()
	path := content(t, tooLarge)
	for _, kind := range disks {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			d := kind.mount(t)
			s := startIn(t, d.root())
			for _, test := range []struct {
				name     string
				declared bool
				args     []string
			}{
				{"PUT", true, []string{"-T", path, s.fileURL("f")}},
				{"form", true, []string{"-F", "file=@" + path + ";filename=f", s.url("/files/")}},
				{"tus", true, []string{"-X", "POST", "-H", tusVersion, "-H", "Upload-Length: " + strconv.Itoa(tooLarge), s.url("/tus/")}},
				{"tus with content", true, []string{"-X", "POST", "-H", tusVersion, "-H", tusType, "-H", "Expect: 100-continue",
					"-H", "Upload-Length: " + strconv.Itoa(tooLarge), "--data-binary", "@" + path, s.url("/tus/")}},
				{"chunked", false, []string{"-H", chunked, "-T", path, s.fileURL("f")}},
				{"chunked form", false, []string{"-H", chunked, "-F", "file=@" + path + ";filename=f", s.url("/files/")}},
			} {
				t.Run(test.name, func(t *testing.T) {
					free := d.free()
					a := curl(t, test.args...)
					d.regains(free)
					a.wantProblem(t, 507)
					if test.declared {
						a.unasked(t)
					}
					s.in(t).missing("f")
					eventually(t, "the server is at rest", s.atRest)
				})
			}
		})
	}
}

// What fits is stored, up to the last megabyte, by each way.
func TestFillsTheDisk(t *testing.T) {
	t.Parallel()
	const rest = 256 * kib // for the server's state and the file system's own
	for _, kind := range disks {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			d := kind.mount(t)
			s := startIn(t, d.root())
			size := d.free() - rest
			path := content(t, size)
			for _, test := range []struct {
				name string
				send func(t *testing.T, s *server, path, name string)
			}{
				{"PUT", sendPUT},
				{"form", sendForm},
				{"tus", sendTusCurl},
				{"chunked", sendChunked},
			} {
				t.Run(test.name, func(t *testing.T) {
					free := d.free()
					test.send(t, s.in(t), path, "f")
					sameFile(t, s.file("f"), path)
					curl(t, "-X", "DELETE", s.fileURL("f")).want(t, 204)
					d.regains(free)
				})
			}
		})
	}
}

// The file that is to be replaced stays whole when there is no space for its
// successor beside it.
//
// https://github.com/filebrowser/filebrowser/issues/3538
func TestOverwriteOnFullDisk(t *testing.T) {
	t.Parallel()
	const larger = 50_000_000
	older, newer := content(t, large), content(t, larger)
	for _, kind := range disks {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			d := kind.mount(t)
			s := startIn(t, d.root())
			curl(t, "-T", older, s.fileURL("f")).want(t, 201)
			free := d.free()
			for _, args := range [][]string{
				{"-T", newer, s.fileURL("f")},
				{"-H", chunked, "-T", newer, s.fileURL("f")},
				{"-F", "file=@" + newer + ";filename=f", s.url("/files/")},
				{"-H", chunked, "-F", "file=@" + newer + ";filename=f", s.url("/files/")},
			} {
				curl(t, args...).wantProblem(t, 507)
				d.regains(free)
				sameFile(t, s.file("f"), older)
			}
			if err := download(s.fileURL("f"), older); err != nil {
				t.Error(err)
			}
		})
	}
}

// A file system may have space and no inodes.
func TestNoInodes(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		name  string
		mount func(t testing.TB) *disk
	}{
		{"tmpfs", func(t testing.TB) *disk { return mountTmpfs(t, "size=64m,nr_inodes=20") }},
		{"ext4", func(t testing.TB) *disk { return mountExt4(t, "-N", "32") }},
	} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			s := startIn(t, kind.mount(t).root())
			n := s.putUntilFull()
			if got := len(s.stored()); got != n {
				t.Errorf("%d files are stored, %d were acknowledged", got, n)
			}
			part := partHead("more") + "x" + formTail
			curlWith(t, strings.NewReader(part), "--data-binary", "@-", "-H", formType, s.url("/files/")).wantProblem(t, 507)
			curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", s.url("/tus/")).wantProblem(t, 507)
			curl(t, s.fileURL("0")).want(t, 200)
			curl(t, "-X", "DELETE", s.fileURL("0")).want(t, 204)
			s.put("again", "content")
		})
	}
}

// putUntilFull stores small files until one is refused, and returns how many
// were not.
func (s *server) putUntilFull() int {
	s.t.Helper()
	const enough = 100
	for n := range enough {
		a := curlWith(s.t, strings.NewReader("x"), "-T", "-", s.fileURL(strconv.Itoa(n)))
		if a.status != 201 {
			a.wantProblem(s.t, 507)
			return n
		}
	}
	s.t.Fatalf("%d files found place", enough)
	return 0
}

// A tus upload that meets the end of the disk keeps what is stored, and goes on
// when there is space again.
func TestTusOnFullDisk(t *testing.T) {
	t.Parallel()
	data := read(t, content(t, large))
	for _, kind := range disks {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			d := kind.mount(t)
			s := startIn(t, d.root())
			// A declared length would have its space set aside.
			path := s.deferTus("f")
			filler := d.fill(d.free() - large/2)
			a := s.patch(path, 0, data)
			a.wantProblem(t, 507)

			offset := s.offset(path)
			if kept := s.keptSize(path); offset != kept || offset > large/2 {
				t.Errorf("offset %d, %d bytes on the disk, place for %d", offset, kept, large/2)
			}
			if offset == 0 {
				t.Error("nothing is kept")
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			s.patch(path, offset, data[offset:], fmt.Sprintf("Upload-Length: %d", large)).want(t, 204)
			if !bytes.Equal(read(t, s.file("f")), data) {
				t.Error("the file is not what was sent")
			}
		})
	}
}

// When even the upload's state can't be written, because there is no inode for
// it, the upload stays where it was.
func TestTusWithoutInodes(t *testing.T) {
	t.Parallel()
	const size, first = 3 * mib, mib
	data := read(t, content(t, size))
	s := startIn(t, mountTmpfs(t, "size=64m,nr_inodes=20").root())
	path := s.createTus("f", size)
	s.patch(path, 0, data[:first]).want(t, 204)
	s.putUntilFull()
	s.patch(path, first, data[first:]).wantProblem(t, 507)
	if offset := s.offset(path); offset != first {
		t.Errorf("offset %d, want %d", offset, first)
	}
	curl(t, "-X", "DELETE", s.fileURL("0")).want(t, 204)
	s.patch(path, first, data[first:]).want(t, 204)
	if !bytes.Equal(read(t, s.file("f")), data) {
		t.Error("the file is not what was sent")
	}
}

// A form has the space for what it says that will come: another one that would
// take it away is refused, and what it did not need is free again at its end.
func TestFormsReserveTheirSpace(t *testing.T) {
	t.Parallel()
	const size = 40_000_000
	path := content(t, size)
	for _, kind := range disks {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			s := startIn(t, kind.mount(t).root())
			data := read(t, path)
			u := wayForm.begin(s, "first", size)
			u.send(data[:size/4])
			eventually(t, "a part has come", func() bool { return s.uploadedSize() > size/8 })
			for _, args := range [][]string{
				{"-F", "file=@" + path + ";filename=second", s.url("/files/")},
				{"-T", path, s.fileURL("second")},
			} {
				a := curl(t, args...)
				a.wantProblem(t, 507)
				a.unasked(t)
			}
			u.send(data[size/4:])
			u.succeed()
			sameFile(t, s.file("first"), path)
			if got := s.scrape().sum("sluice_storage_reserved_bytes"); got != 0 {
				t.Errorf("%.0f bytes are still reserved", got)
			}
		})
	}
}

// Deferred uploads reserve their space when their length comes.
func TestDeferredLengthIsReserved(t *testing.T) {
	t.Parallel()
	for _, kind := range disks {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			s := startIn(t, kind.mount(t).root())
			declare := fmt.Sprintf("Upload-Length: %d", large)
			first, second, third := s.deferTus("1"), s.deferTus("2"), s.deferTus("3")
			s.patch(first, 0, []byte("x"), declare).want(t, 204)
			if got := s.scrape().sum("sluice_storage_reserved_bytes"); got != large-1 {
				t.Errorf("%.0f bytes are reserved, want %d", got, large-1)
			}
			s.patch(second, 0, []byte("x"), "Upload-Length: 20000000").want(t, 204)
			s.patch(third, 0, []byte("x"), declare).wantProblem(t, 507)
			curl(t, "-T", content(t, large), s.fileURL("4")).wantProblem(t, 507)
		})
	}
}

// deferTus creates an upload whose length is told later, and returns its path.
func (s *server) deferTus(name string) string {
	s.t.Helper()
	a := curl(s.t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Defer-Length: 1", "-H", tusName(name), s.url("/tus/")).want(s.t, 201)
	return a.header.Get("Location")
}

// tusName is the field that names the file of a new upload.
func tusName(name string) string {
	return "Upload-Metadata: filename " + base64.StdEncoding.EncodeToString([]byte(name))
}

// patch appends data to an upload.
func (s *server) patch(path string, offset int, data []byte, fields ...string) answer {
	s.t.Helper()
	args := []string{"-X", "PATCH", "-H", tusVersion, "-H", tusType, "-H", fmt.Sprintf("Upload-Offset: %d", offset), "--data-binary", "@-"}
	for _, field := range fields {
		args = append(args, "-H", field)
	}
	return curlWith(s.t, bytes.NewReader(data), append(args, s.url(path))...)
}

// offset asks how far an upload has come.
func (s *server) offset(path string) int {
	s.t.Helper()
	offset, err := strconv.Atoi(s.tusOffset(path))
	if err != nil {
		s.t.Fatal(err)
	}
	return offset
}

// keptSize is the size of an upload's file, in bytes.
func (s *server) keptSize(path string) int {
	s.t.Helper()
	info, err := os.Stat(s.file(filepath.Join(".sluice", "uploads", filepath.Base(path))))
	if err != nil {
		s.t.Fatal(err)
	}
	return int(info.Size())
}
