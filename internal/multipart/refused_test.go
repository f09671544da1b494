package multipart_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"sluice/internal/multipart"
)

// TestRefused sends bodies that are no form.
func TestRefused(t *testing.T) {
	t.Parallel()
	first := "--B\r\n" + head
	cut := []error{multipart.ErrMalformed, io.ErrUnexpectedEOF}
	malformed := []error{multipart.ErrMalformed}
	tests := []struct {
		name, body string
		limits     multipart.Limits
		want       []error
	}{
		{"empty", "", multipart.Limits{}, cut},
		{"no delimiter", "hello", multipart.Limits{}, cut},
		{"only the closing delimiter", "--B--", multipart.Limits{}, malformed},
		{"only the closing delimiter, behind a preamble", "a\r\n--B--\r\n", multipart.Limits{}, malformed},
		{"only a delimiter", "--B\r\n", multipart.Limits{}, cut},
		{"end in a header line", "--B\r\nContent-Dis", multipart.Limits{}, cut},
		{"end behind the header", first, multipart.Limits{}, cut},
		{"end behind the blank line", first + "\r\n", multipart.Limits{}, cut},
		{"no closing delimiter", first + "\r\na", multipart.Limits{}, cut},
		{"no closing delimiter, empty part", first + "\r\n--B\r\n", multipart.Limits{}, cut},
		{"end in the closing delimiter", first + "\r\na\r\n--B", multipart.Limits{}, cut},
		{"end in the closing delimiter of an empty part", first + "\r\n--B", multipart.Limits{}, cut},
		{"one hyphen", first + "\r\na\r\n--B-", multipart.Limits{}, cut},
		{"one hyphen and CRLF", first + "\r\na\r\n--B-\r\n", multipart.Limits{}, cut},
		{"blank before the hyphens", first + "\r\na\r\n--B --\r\n", multipart.Limits{}, cut},
		{"lines end in LF", strings.ReplaceAll(encode(boundary, entry{"f", "x", "a"}), "\r\n", "\n"), multipart.Limits{}, cut},
		{"LF in the header", "--B\r\nX: y\nContent-Disposition: form-data; name=f\r\n\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"CR in the header", "--B\r\nX: y\rContent-Disposition: form-data; name=f\r\n\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"NUL in the header", "--B\r\nX: \x00\r\n" + head + "\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"header without a colon", "--B\r\nX\r\n" + head + "\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"header that begins with a blank", "--B\r\n X: y\r\n" + head + "\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"no header", "--B\r\n\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"no disposition", "--B\r\nX: y\r\n\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"two dispositions", "--B\r\n" + head + head + "\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"other disposition", "--B\r\nContent-Disposition: attachment; name=f\r\n\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"no name", "--B\r\nContent-Disposition: form-data; filename=f\r\n\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"two names", "--B\r\nContent-Disposition: form-data; name=f; name=g\r\n\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"delimiter in place of a header", "--B\r\n--B\r\n" + head + "\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"too much padding", first + "\r\na\r\n--B" + strings.Repeat(" ", multipart.MaxPadding+1) + "\r\n" + head + "\r\nb\r\n--B--", multipart.Limits{}, malformed},
		{"too much preamble", strings.Repeat("p", multipart.MaxPreamble+1) + "\r\n" + first + "\r\na\r\n--B--", multipart.Limits{}, malformed},
		{"too many parts", encode(boundary, entry{"a", "", ""}, entry{"b", "", ""}, entry{"c", "", ""}),
			multipart.Limits{Parts: 2}, []error{multipart.ErrTooManyParts}},
		{"too many header lines", "--B\r\n" + head + "A: 1\r\nB: 2\r\n\r\na\r\n--B--",
			multipart.Limits{Headers: 2}, []error{multipart.ErrHeaderTooLarge}},
		{"too long a header", "--B\r\n" + head + "A: " + strings.Repeat("a", 100) + "\r\n\r\na\r\n--B--",
			multipart.Limits{HeaderBytes: 100}, []error{multipart.ErrHeaderTooLarge}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range readSizes {
				for name, body := range splits(tt.body) {
					_, err := decode(body, boundary, size, tt.limits)
					for _, want := range tt.want {
						if !errors.Is(err, want) {
							t.Fatalf("%s, reads of %d: got %v, want %v", name, size, err, want)
						}
					}
				}
			}
		})
	}
}

// TestAbuseIsCheap sends bodies far beyond the default limits, and counts how
// much of them was read.
func TestAbuseIsCheap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		body   string
		atMost int
		want   error
	}{
		{"header line of 20 MB", "--B\r\nX: " + strings.Repeat("x", 20_000_000), 64 << 10, multipart.ErrHeaderTooLarge},
		{"10000 headers", "--B\r\n" + strings.Repeat("X: y\r\n", 10_000), 64 << 10, multipart.ErrHeaderTooLarge},
		{"preamble of 1 MB", strings.Repeat("x", 1_000_000), 128 << 10, multipart.ErrMalformed},
		{"preamble of 1 MB of CRLF", strings.Repeat("\r\n", 500_000), 128 << 10, multipart.ErrMalformed},
		{"padding of 1 MB", "--B" + strings.Repeat(" ", 1_000_000), 64 << 10, multipart.ErrMalformed},
		{"100000 parts", strings.Repeat("--B\r\n"+head+"\r\n\r\n", 100_000), 128 << 10, multipart.ErrTooManyParts},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := strings.NewReader(tt.body)
			if _, err := decode(body, boundary, 1<<20, multipart.Limits{}); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if read := len(tt.body) - body.Len(); read > tt.atMost {
				t.Errorf("read %d bytes, want at most %d", read, tt.atMost)
			}
		})
	}
}

func TestLimitsAreExact(t *testing.T) {
	t.Parallel()
	header := head + "A: b\r\n\r\n"
	body := "--B\r\n" + header + "12345\r\n--B--"
	limits := multipart.Limits{Parts: 1, Headers: 2, HeaderBytes: len(header), FieldBytes: 5}
	for name, body := range splits(body) {
		r, err := multipart.NewReader(body, boundary, limits)
		if err != nil {
			t.Fatal(err)
		}
		part, err := r.Next()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if value, err := part.Value(); err != nil || value != "12345" {
			t.Fatalf("%s: got %q, %v", name, value, err)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Fatalf("%s: got %v, want EOF", name, err)
		}
	}
	limits.HeaderBytes--
	if _, err := decode(strings.NewReader(body), boundary, 1, limits); !errors.Is(err, multipart.ErrHeaderTooLarge) {
		t.Errorf("got %v, want %v", err, multipart.ErrHeaderTooLarge)
	}
}

// TestBodyErrorsPassThrough cuts a body by errors of its own at every byte.
func TestBodyErrorsPassThrough(t *testing.T) {
	t.Parallel()
	form := encode(boundary, entry{"f", "x", "some content"}, entry{"g", "", "value"})
	closed := strings.LastIndex(form, "--") + 2
	for at := range closed {
		for _, size := range readSizes {
			body := io.MultiReader(strings.NewReader(form[:at]), iotest.ErrReader(os.ErrDeadlineExceeded))
			_, err := decode(body, boundary, size, multipart.Limits{})
			if !errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, multipart.ErrMalformed) {
				t.Fatalf("cut at %d, reads of %d: got %v", at, size, err)
			}
			if _, err := decode(strings.NewReader(form[:at]), boundary, size, multipart.Limits{}); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("ended at %d, reads of %d: got %v", at, size, err)
			}
		}
	}
}

// failing returns its error together with its bytes, and only then.
type failing struct {
	rest string
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	if f.rest != "" {
		return n, nil
	}
	err := f.err
	f.err = nil
	return n, err
}

func TestBodyErrorThatComesWithBytes(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"--B\r\n", "--B\r\n" + head + "\r\n", "--B\r\n" + head + "\r\ncontent"} {
		for _, size := range readSizes {
			body := &failing{sent, os.ErrDeadlineExceeded}
			if _, err := decode(body, boundary, size, multipart.Limits{}); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%q, reads of %d: got %v", sent, size, err)
			}
		}
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestBodyThatBringsNothing(t *testing.T) {
	t.Parallel()
	body := io.MultiReader(strings.NewReader("--B\r\n"+head+"\r\na"), idle{})
	if _, err := decode(body, boundary, 8<<10, multipart.Limits{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v, want %v", err, io.ErrNoProgress)
	}
}
