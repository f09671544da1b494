package e2e_test

import (
	"os"
	"strings"
	"testing"
)

// A disk that has become read-only is no fault of the clients. Downloads go on,
// the server says that it takes no uploads, and takes them again afterwards.
//
// https://github.com/danifunker/usbode-circle/issues/243
// https://github.com/SDU-eScience/UCloud/issues/1757
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	for _, kind := range disks {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			d := kind.mount(t)
			s := startIn(t, d.root())
			s.put("kept", "content")
			upload := s.createTus("tus", 5)
			d.readOnly(true)
			s.storesNothing(upload)
			d.readOnly(false)
			s.storesAgain(upload)
		})
	}
}

// The same for a root that the server lacks the right to write to.
func TestForbiddenRoot(t *testing.T) {
	t.Parallel()
	s := startUnprivileged(t)
	s.put("kept", "content")
	upload := s.createTus("tus", 5)
	s.permit(0o555, "", ".sluice/uploads")
	s.storesNothing(upload)
	s.permit(0o755, "", ".sluice/uploads")
	s.storesAgain(upload)
}

// Where the server may receive files, but not give them their names, they are
// refused at the end and leave nothing. A tus upload is completed later.
func TestForbiddenName(t *testing.T) {
	t.Parallel()
	s := startUnprivileged(t)
	s.put("kept", "content")
	s.permit(0o555, "")
	for _, by := range senders {
		by.send(s, "new", "hello").wantProblem(t, 503)
		by.send(s, "kept", "newer").wantProblem(t, 503)
	}
	upload := s.createTus("tus", 5)
	s.patch(upload, 0, []byte("hello")).wantProblem(t, 503)
	if got := s.stored(); len(got) != 1 || string(read(t, s.file("kept"))) != "content" {
		t.Errorf("the disk holds %q", got)
	}
	if status, _ := s.operator("/readyz"); status != 503 {
		t.Errorf("readyz: status %d, want 503", status)
	}
	s.permit(0o755, "")
	if offset := s.offset(upload); offset != 5 {
		t.Errorf("offset %d, want 5", offset)
	}
	if got := string(read(t, s.file("tus"))); got != "hello" {
		t.Errorf("stored %q", got)
	}
}

// startUnprivileged runs the server without the capability by which root may
// write everywhere.
func startUnprivileged(t *testing.T) *server {
	t.Helper()
	setpriv, err := tool("setpriv")
	if err != nil {
		t.Fatal(err)
	}
	return launch(t, []string{setpriv, "--bounding-set=-dac_override,-dac_read_search", suite.race}, newRoot(t))
}

// permit sets the permissions of folders below the root.
func (s *server) permit(mode os.FileMode, folders ...string) {
	s.t.Helper()
	for _, folder := range folders {
		if err := os.Chmod(s.file(folder), mode); err != nil {
			s.t.Fatal(err)
		}
	}
}

// storesNothing fails the test unless everything that would change a file is
// refused, and nothing has changed.
func (s *server) storesNothing(upload string) {
	s.t.Helper()
	for _, test := range []struct {
		what string
		args []string
	}{
		{"new file", []string{"-T", "-", s.fileURL("new")}},
		{"overwrite", []string{"-T", "-", s.fileURL("kept")}},
		{"file in a new folder", []string{"-T", "-", s.fileURL("folder/new")}},
		{"form", []string{"-F", "file=@-;filename=new", s.url("/files/")}},
		{"tus creation", []string{"-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", s.url("/tus/")}},
		{"tus PATCH", []string{"-X", "PATCH", "-H", tusVersion, "-H", tusType, "-H", "Upload-Offset: 0", "--data-binary", "@-", s.url(upload)}},
		{"tus termination", []string{"-X", "DELETE", "-H", tusVersion, s.url(upload)}},
		{"removal", []string{"-X", "DELETE", s.fileURL("kept")}},
	} {
		if a := curlWith(s.t, strings.NewReader("hello"), test.args...); a.status != 503 {
			s.t.Errorf("%s: status %d, want 503", test.what, a.status)
		} else {
			a.wantProblem(s.t, 503)
		}
	}
	if got := s.stored(); len(got) != 1 || string(read(s.t, s.file("kept"))) != "content" {
		s.t.Errorf("the disk holds %q", got)
	}
	if a := curl(s.t, s.fileURL("kept")).want(s.t, 200); string(a.body) != "content" {
		s.t.Errorf("got %q", a.body)
	}
	if offset := s.offset(upload); offset != 0 {
		s.t.Errorf("offset %d, want 0", offset)
	}
	if status, _ := s.operator("/readyz"); status != 503 {
		s.t.Errorf("readyz: status %d, want 503", status)
	}
	if ready := s.scrape().sum("sluice_ready"); ready != 0 {
		s.t.Errorf("sluice_ready is %v, want 0", ready)
	}
	if status, _ := s.operator("/healthz"); status != 200 {
		s.t.Errorf("healthz: status %d, want 200", status)
	}
}

// storesAgain fails the test unless the server is as it was before.
func (s *server) storesAgain(upload string) {
	s.t.Helper()
	if status, _ := s.operator("/readyz"); status != 200 {
		s.t.Errorf("readyz: status %d, want 200", status)
	}
	s.put("kept", "newer")
	s.patch(upload, 0, []byte("hello")).want(s.t, 204)
	if got := string(read(s.t, s.file("kept"))) + string(read(s.t, s.file("tus"))); got != "newerhello" {
		s.t.Errorf("stored %q", got)
	}
}
