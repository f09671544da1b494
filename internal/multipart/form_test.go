package multipart_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"sluice/internal/multipart"
)

// entry is a part as tests send and expect it.
type entry struct {
	name, file, content string
}

// boundary is what tests use where it does not matter.
const boundary = "B"

// encode writes a form as browsers do.
func encode(boundary string, entries ...entry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", boundary, e.name)
		if e.file != "" {
			fmt.Fprintf(&b, "; filename=\"%s\"\r\nContent-Type: application/octet-stream", e.file)
		}
		fmt.Fprintf(&b, "\r\n\r\n%s\r\n", e.content)
	}
	return b.String() + "--" + boundary + "--\r\n"
}

// decode takes a form apart, with reads of size bytes. It returns the parts
// that were complete.
func decode(body io.Reader, boundary string, size int, limits multipart.Limits) ([]entry, error) {
	r, err := multipart.NewReader(body, boundary, limits)
	if err != nil {
		return nil, err
	}
	var entries []entry
	block := make([]byte, size)
	for {
		part, err := r.Next()
		if err == io.EOF {
			return entries, nil
		} else if err != nil {
			return entries, err
		}
		content, err := readAll(part, block)
		if err != nil {
			return entries, err
		}
		entries = append(entries, entry{part.FormName(), part.FileName(), content})
	}
}

func readAll(r io.Reader, block []byte) (string, error) {
	var content strings.Builder
	for {
		n, err := r.Read(block)
		content.Write(block[:n])
		switch {
		case err == io.EOF:
			return content.String(), nil
		case err != nil:
			return content.String(), err
		case n == 0:
			return content.String(), errors.New("read returned nothing and no error")
		}
	}
}

// splitter hands a body out in pieces of random lengths up to most.
type splitter struct {
	body io.Reader
	rand *rand.Rand
	most int
}

func newSplitter(body io.Reader, seed uint64, most int) *splitter {
	return &splitter{body, rand.New(rand.NewPCG(seed, 0)), most}
}

func (s *splitter) Read(p []byte) (int, error) {
	return s.body.Read(p[:min(len(p), 1+s.rand.IntN(s.most))])
}

// equal fails the test where entries differ, without printing megabytes.
func equal(t *testing.T, got, want []entry) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d parts, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("part %d: got %.40q, %d bytes, want %.40q, %d bytes",
				i, got[i], len(got[i].content), want[i], len(want[i].content))
		}
	}
}
