package handlers

import (
	"archive/tar"
	"archive/zip"
	"io"
	"time"
)

// archiver writes an archive from its front to its end.
type archiver interface {
	folder(name string, modified time.Time) error
	// file begins a file of size bytes, which are to be written to its writer
	// before the next member begins.
	file(name string, size int64, modified time.Time) (io.Writer, error)
	// Close writes what stands at the end.
	Close() error
}

// archiveKind is a format of archives.
type archiveKind struct {
	mediaType, extension string
	open                 func(w io.Writer) archiver
}

// archiveKinds are the formats by the values of the query.
var archiveKinds = map[string]archiveKind{
	"zip": {"application/zip", ".zip", func(w io.Writer) archiver { return zipArchiver{zip.NewWriter(w)} }},
	"tar": {"application/x-tar", ".tar", func(w io.Writer) archiver { return tarArchiver{tar.NewWriter(w)} }},
}

// Modes of members; whose they are on the server is nobody's business.
const (
	folderMode = 0o755
	fileMode   = 0o644
)

// zipArchiver stores files as they are, with what is known only behind their
// last byte standing there (data descriptors), and in zip64 where they need it.
type zipArchiver struct{ *zip.Writer }

func (z zipArchiver) folder(name string, modified time.Time) error {
	_, err := z.CreateHeader(&zip.FileHeader{Name: name + "/", Modified: modified})
	return err
}

func (z zipArchiver) file(name string, _ int64, modified time.Time) (io.Writer, error) {
	return z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: modified})
}

// tarArchiver writes PAX, which knows names and sizes of any length.
type tarArchiver struct{ *tar.Writer }

func (t tarArchiver) folder(name string, modified time.Time) error {
	return t.begin(tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: folderMode, ModTime: modified})
}

func (t tarArchiver) file(name string, size int64, modified time.Time) (io.Writer, error) {
	return t.Writer, t.begin(tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: fileMode, ModTime: modified})
}

func (t tarArchiver) begin(head tar.Header) error {
	head.Format = tar.FormatPAX
	return t.WriteHeader(&head)
}
