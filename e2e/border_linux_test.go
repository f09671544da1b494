package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// borders are the sizes at which numbers of 32 bits end, with and without sign.
var borders = []int64{1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<32 + 1}

// marker stands at the end of a file, and where offsets pass a border.
const marker = "marker of 16 by."

// markers are where a file of that size has its markers.
func markers(size int64) []int64 {
	at := []int64{size - int64(len(marker))}
	for _, border := range []int64{1 << 31, 1 << 32} {
		if before := border - 7; before+int64(len(marker)) <= at[0] {
			at = append(at, before)
		}
	}
	return at
}

// makeSparse makes a file that takes no space but for its markers.
func makeSparse(t testing.TB, path string, size int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	err = file.Truncate(size)
	for _, at := range markers(size) {
		_, writeErr := file.WriteAt([]byte(marker), at)
		err = errors.Join(err, writeErr)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// checkSparse looks at what has come of a file from makeSparse, without reading
// all of it.
func checkSparse(t testing.TB, path string, size int64) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() != size {
		t.Errorf("the file is %+v, %v, want %d bytes", info, err, size)
	}
	for _, at := range markers(size) {
		got := make([]byte, len(marker))
		if _, err := file.ReadAt(got, at); err != nil || string(got) != marker {
			t.Errorf("at %d stands %q, %v", at, got, err)
		}
	}
}

// Sizes and places at the borders are told and sent exactly, of files that were
// laid where they are by others.
//
// https://github.com/valyala/fasthttp/issues/1267
func TestDownloadAtBorders(t *testing.T) {
	t.Parallel()
	root := newRoot(t)
	if err := os.MkdirAll(root, 0o777); err != nil {
		t.Fatal(err)
	}
	s := startIn(t, root)
	for _, size := range borders {
		name := strconv.FormatInt(size, 10)
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			makeSparse(t, s.file(name), size)
			if got := curlHead(t, s.fileURL(name)).want(t, 200).header.Get("Content-Length"); got != name {
				t.Errorf("HEAD tells a length of %s", got)
			}
			whole := dial(t, s).send(requestHead("GET", "/files/"+name))
			if head := string(whole.head().raw); !strings.Contains(head, "\r\nContent-Length: "+name+"\r\n") {
				t.Errorf("the head of the whole file is %q", head)
			}
			whole.rst()
			checkRange(t, s, name, "-16", size-16, 16)
			for _, border := range []int64{1 << 31, 1 << 32} {
				checkRange(t, s, name, fmt.Sprintf("%d-%d", border-7, border+8), border-7, min(16, size-border+7))
				checkRange(t, s, name, fmt.Sprintf("%d-%d", border-1, border+1), border-1, min(3, size-border+1))
			}
			checkRange(t, s, name, fmt.Sprintf("%d-", size-1), size-1, 1)
		})
	}
}

// checkRange asks for a range, which has n bytes at off; where n is less than 1
// there is no such range.
func checkRange(t testing.TB, s *server, name, asked string, off, n int64) {
	t.Helper()
	file, err := os.Open(s.file(name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	a := curl(t, "-r", asked, s.fileURL(name))
	status, told := 206, fmt.Sprintf("bytes %d-%d/%d", off, off+n-1, info.Size())
	if n < 1 {
		status, told = 416, fmt.Sprintf("bytes */%d", info.Size())
	}
	if got := a.header.Get("Content-Range"); a.status != status || got != told {
		t.Errorf("range %s: status %d, Content-Range %q, want %d, %q", asked, a.status, got, status, told)
	}
	if n < 1 {
		return
	}
	content := make([]byte, n)
	if _, err := file.ReadAt(content, off); err != nil || !bytes.Equal(content, a.body) {
		t.Errorf("range %s: got %q, want %q, %v", asked, a.body, content, err)
	}
}

// Files whose sizes lie at the borders are taken. TestFourGiB has the size that
// lies beyond both, in every way.
//
// https://github.com/curl/curl/issues/1198
func TestUploadAtBorders(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 8 GB")
	}
	s := startShipped(t)
	for _, test := range []struct {
		name string
		send func(t *testing.T, s *server, path, name string)
		size int64
	}{
		{"PUT of 2 GiB", sendPUT, 1 << 31},
		{"form with 2 GiB", sendForm, 1 << 31},
		{"PUT of 4 GiB", sendPUT, 1 << 32},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := s.in(t)
			path := filepath.Join(folder(t), "sparse")
			makeSparse(t, path, test.size)
			test.send(t, s, path, "f")
			checkSparse(t, s.file("f"), test.size)
			curl(t, "-X", "DELETE", s.fileURL("f")).want(t, 204)
		})
	}
	s.staysBelow(oneTransfer)
}

// A tus upload ends at each of the borders and passes those before it.
//
// https://github.com/tus/tusd/issues/1047
func TestTusAtBorders(t *testing.T) {
	t.Parallel()
	const chunk = mib
	s := start(t)
	c := s.client()
	for _, size := range borders {
		t.Run(strconv.FormatInt(size, 10), func(t *testing.T) {
			s := s.in(t)
			path := filepath.Join(folder(t), "sparse")
			makeSparse(t, path, size)
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			upload, err := c.create("f", size)
			if err != nil {
				t.Fatal(err)
			}
			for _, border := range append(borders, size) {
				if border > size {
					break
				}
				s.pretendReceived(upload, border-chunk)
				n := min(2*chunk, size-(border-chunk))
				if err := c.append(upload, border-chunk, io.NewSectionReader(file, border-chunk, n), n); err != nil {
					t.Fatal(err)
				}
				if border-chunk+n == size {
					break
				}
				if got, err := c.offset(upload); err != nil || got != border-chunk+n {
					t.Errorf("offset %d, %v, want %d", got, err, border-chunk+n)
				}
			}
			checkSparse(t, s.file("f"), size)
			curl(t, "-X", "DELETE", s.fileURL("f")).want(t, 204)
		})
	}
}

var offsetField = regexp.MustCompile(`"offset":\d+`)

// pretendReceived lets an upload look as if n bytes of it had come: all before
// its end that nobody has sent are 0.
func (s *server) pretendReceived(upload string, n int64) {
	s.t.Helper()
	data := s.file(".sluice/uploads/" + filepath.Base(upload))
	state := offsetField.ReplaceAll(read(s.t, data+".info"), fmt.Appendf(nil, `"offset":%d`, n))
	if err := errors.Join(os.Truncate(data, n), os.WriteFile(data+".info", state, 0o600)); err != nil {
		s.t.Fatal(err)
	}
}
