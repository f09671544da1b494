package e2e_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash"
	"hash/crc32"
	"net/http/httputil"
	"slices"
	"strings"
	"testing"
)

// checksum is an Upload-Checksum field (tus 1.0, "Checksum").
func checksum(name string, h hash.Hash, of []byte) string {
	h.Write(of)
	return "Upload-Checksum: " + name + " " + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	s := start(t)
	data := read(t, content(t, 3*mib+5))
	told := curl(t, "-X", "OPTIONS", s.url("/tus/")).want(t, 200, 204).header
	if got := told.Get("Tus-Checksum-Algorithm"); got != "sha1,sha256,md5,crc32" {
		t.Errorf("algorithms are %q", got)
	}
	for _, extension := range []string{
		"creation", "creation-with-upload", "creation-defer-length", "termination", "concatenation", "checksum", "checksum-trailer", "expiration",
	} {
		if !slices.Contains(strings.Split(told.Get("Tus-Extension"), ","), extension) {
			t.Errorf("extensions %q lack %s", told.Get("Tus-Extension"), extension)
		}
	}
	for _, test := range []struct {
		name, field string
		status      int
	}{
		{"sha1", checksum("sha1", sha1.New(), data), 204},
		{"sha256", checksum("sha256", sha256.New(), data), 204},
		{"md5", checksum("md5", md5.New(), data), 204},
		{"crc32", checksum("crc32", crc32.NewIEEE(), data), 204},
		{"wrong", checksum("sha1", sha1.New(), data[1:]), 460},
		{"unknown algorithm", "Upload-Checksum: sha3 AAAA", 400},
		{"no sum", "Upload-Checksum: sha1", 400},
		{"no base64", "Upload-Checksum: sha1 %%%", 400},
		{"sum of another algorithm", checksum("sha256", sha1.New(), data), 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := s.in(t)
			name := strings.ReplaceAll(test.name, " ", "-")
			path := s.createTus(name, len(data))
			const first = 1000
			s.patch(path, 0, data[:first], checksum("sha1", sha1.New(), data[:first])).want(t, 204)
			rest := test.field
			if test.status == 204 {
				// The field covers the whole of data; the piece here is the rest of it.
				algorithm, _, _ := strings.Cut(strings.TrimPrefix(test.field, "Upload-Checksum: "), " ")
				rest = checksum(algorithm, hashes[algorithm](), data[first:])
			}
			a := s.patch(path, first, data[first:], rest)
			if test.status != 204 {
				a.wantProblem(t, test.status)
				if offset := s.tusOffset(path); offset != fmt.Sprint(first) {
					t.Errorf("offset %s after a refused piece, want %d", offset, first)
				}
				s.patch(path, first, data[first:]).want(t, 204)
			}
			a.want(t, test.status)
			if !bytes.Equal(read(t, s.file(name)), data) {
				t.Error("the file differs")
			}
		})
	}
}

var hashes = map[string]func() hash.Hash{
	"sha1": sha1.New, "sha256": sha256.New, "md5": md5.New, "crc32": func() hash.Hash { return crc32.NewIEEE() },
}

// The checksum may follow the piece, in the trailer of a chunked body.
func TestChecksumTrailer(t *testing.T) {
	t.Parallel()
	s := start(t)
	data := read(t, content(t, mib+5))
	for _, test := range []struct {
		name, trailer string
		status        int
		offset        int
	}{
		{"right", checksum("sha256", sha256.New(), data), 204, len(data)},
		{"wrong", checksum("sha1", sha1.New(), data[1:]), 460, 0},
		{"unknown", "Upload-Checksum: sha3 AAAA", 400, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := s.in(t)
			// One byte more than comes here, so that the upload stays open.
			path := s.createTus(test.name, len(data)+1)
			p := dial(t, s).send(requestHead("PATCH", path, tusVersion, tusType, "Upload-Offset: 0",
				"Trailer: Upload-Checksum", "Transfer-Encoding: chunked"))
			body := httputil.NewChunkedWriter(p.conn)
			if _, err := body.Write(data); err != nil {
				t.Fatal(err)
			}
			if err := body.Close(); err != nil {
				t.Fatal(err)
			}
			reply := p.send(test.trailer + "\r\n\r\n").fin().rest()
			if got := reply.statuses(); !slices.Equal(got, []int{test.status}) {
				t.Errorf("statuses %v, want %d\n%s", got, test.status, reply.raw)
			}
			if offset := s.tusOffset(path); offset != fmt.Sprint(test.offset) {
				t.Errorf("offset %s, want %d", offset, test.offset)
			}
		})
	}
}
