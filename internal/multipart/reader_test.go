package multipart_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"sluice/internal/multipart"
)

const head = "Content-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n"

// TestContentIsKept sends content that looks like a delimiter.
func TestContentIsKept(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, content string }{
		{"empty", ""},
		{"delimiter without a line end", "\r\n--Bo"},
		{"longer boundary", "\r\n--Bx\r\n"},
		{"longer boundary, closing", "\r\n--Bx--\r\n"},
		{"one hyphen behind", "\r\n--B-\r\n"},
		{"one hyphen and text behind", "\r\n--B-x\r\n"},
		{"blanks and text behind", "\r\n--B \tx\r\n"},
		{"blanks and hyphens behind", "\r\n--B --\r\n"},
		{"CR alone behind", "\r\n--B\rx"},
		{"LF alone behind", "\r\n--B\nx"},
		{"blanks and LF behind", "\r\n--B \nx"},
		{"CR CR LF behind", "\r\n--B\r\r\n"},
		{"closing in mid-line", "a--B--b"},
		{"closing in mid-line, later", "a\r\nb--B--\r\n"},
		{"closing behind LF", "a\n--B--\r\n"},
		{"closing behind CR", "a\r--B--\r\n"},
		{"delimiter behind LF CR", "a\n\r--B\r\n"},
		{"three hyphens", "\r\n---B\r\n"},
		{"other case", "\r\n--b\r\n"},
		{"closing at the start", "--Bx"},
		{"one CRLF at the end", "a\r\n"},
		{"two CRLF at the end", "a\r\n\r\n"},
		{"three CRLF at the end", "a\r\n\r\n\r\n"},
		{"CR at the end", "a\r"},
		{"CRs at the end", "a\r\r\r"},
		{"LF at the end", "a\n"},
		{"CRLF and hyphen at the end", "a\r\n-"},
		{"CRLF and two hyphens at the end", "a\r\n--"},
		{"nothing but CRLF", "\r\n"},
		{"nothing but CR", "\r"},
		{"a look-alike on the heels of another", "\r\n--B\r\r\n--B\r\r\n--Bx"},
		{"NUL and high bytes", "\x00\xff\r\x00\n\xfe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := []entry{{"f", "x", tt.content}, {"after", "", "v"}}
			for _, size := range readSizes {
				for name, body := range splits(encode(boundary, want...)) {
					got, err := decode(body, boundary, size, multipart.Limits{})
					if err != nil {
						t.Fatalf("%s, reads of %d: %v", name, size, err)
					}
					equal(t, got, want)
				}
			}
		})
	}
}

// TestFraming sends whole bodies that are odd but right.
func TestFraming(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       []entry
	}{
		{"no CRLF behind the closing delimiter", "--B\r\n" + head + "\r\na\r\n--B--", []entry{{"f", "x", "a"}}},
		{"transport padding", "--B \t\r\n" + head + "\r\na\r\n--B\t\r\n" + head + "\r\nb\r\n--B-- \t\r\n",
			[]entry{{"f", "x", "a"}, {"f", "x", "b"}}},
		{"most padding", "--B" + strings.Repeat(" ", multipart.MaxPadding) + "\r\n" + head + "\r\na\r\n--B--", []entry{{"f", "x", "a"}}},
		{"preamble", "a\n--B\r\nline\r\n--Bx\r\n\r\n--B\r\n" + head + "\r\na\r\n--B--", []entry{{"f", "x", "a"}}},
		{"empty line as preamble", "\r\n--B\r\n" + head + "\r\na\r\n--B--", []entry{{"f", "x", "a"}}},
		{"most preamble", strings.Repeat("p", multipart.MaxPreamble) + "\r\n--B\r\n" + head + "\r\na\r\n--B--", []entry{{"f", "x", "a"}}},
		{"epilogue", "--B\r\n" + head + "\r\na\r\n--B--\r\nepilogue\r\n--B\r\n", []entry{{"f", "x", "a"}}},
		{"closing delimiter with hyphens behind", "--B\r\n" + head + "\r\na\r\n--B---------", []entry{{"f", "x", "a"}}},
		{"closing delimiter with a request behind", "--B\r\n" + head + "\r\na\r\n--B--\r\nGET / HTTP/1.1\r\n\r\n", []entry{{"f", "x", "a"}}},
		{"part of nothing but a header", "--B\r\n" + head + "\r\n--B\r\n" + head + "\r\n--B--", []entry{{"f", "x", ""}, {"f", "x", ""}}},
		{"part of nothing but a header, padded", "--B\r\n" + head + "\r\n--B \r\n" + head + "\r\nb\r\n--B--", []entry{{"f", "x", ""}, {"f", "x", "b"}}},
		{"folded header", "--B\r\nContent-Disposition: form-data;\r\n name=\"f\";\r\n\tfilename=\"x\"\r\n\r\na\r\n--B--", []entry{{"f", "x", "a"}}},
		{"header names in any case", "--B\r\nCONTENT-disposition: Form-Data; NAME=f\r\n\r\na\r\n--B--", []entry{{"f", "", "a"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range readSizes {
				for name, body := range splits(tt.body) {
					got, err := decode(body, boundary, size, multipart.Limits{})
					if err != nil {
						t.Fatalf("%s, reads of %d: %v", name, size, err)
					}
					equal(t, got, tt.want)
				}
			}
		})
	}
}

func TestEpilogueIsLeftToTheCaller(t *testing.T) {
	t.Parallel()
	form := encode(boundary, entry{"f", "x", "a"})
	body := strings.NewReader(form + strings.Repeat("-", 1_000_000))
	if _, err := decode(body, boundary, 1<<20, multipart.Limits{}); err != nil {
		t.Fatal(err)
	}
	if body.Len() < 1_000_000-multipart.FirstRead {
		t.Errorf("%d bytes of the epilogue are left", body.Len())
	}
}

func TestNextSkipsWhatIsUnread(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("\r\n--Bx\r", 5_000)
	form := encode(boundary, entry{"a", "x", large}, entry{"b", "x", large}, entry{"c", "", "last"})
	for name, body := range splits(form) {
		for _, read := range []int{0, 1, 5000, 30_000} {
			r, err := multipart.NewReader(body, boundary, multipart.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"a", "b", "c"} {
				part, err := r.Next()
				if err != nil || part.FormName() != want {
					t.Fatalf("%s: got %v, %v, want part %s", name, part, err, want)
				}
				if _, err := io.ReadFull(part, make([]byte, read)); err != nil && want != "c" {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if _, err := r.Next(); err != io.EOF {
				t.Fatalf("%s: got %v, want EOF", name, err)
			}
			body = strings.NewReader(form)
		}
	}
}

func TestNextAfterTheEnd(t *testing.T) {
	t.Parallel()
	r, err := multipart.NewReader(strings.NewReader(encode(boundary, entry{"a", "", "1"})), boundary, multipart.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	part, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := r.Next(); err != io.EOF {
			t.Fatalf("got %v, want EOF", err)
		}
	}
	if n, err := part.Read(make([]byte, 1)); n != 0 || err == nil || err == io.EOF {
		t.Errorf("read of a part gone by: got %d, %v", n, err)
	}
}

func TestPart(t *testing.T) {
	t.Parallel()
	body := "--B\r\n" + head + "Content-Type: image/png\r\nX-Digest: abc\r\n\r\n\r\n--B\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nv\r\n--B--"
	r, err := multipart.NewReader(strings.NewReader(body), boundary, multipart.Limits{FieldBytes: 3})
	if err != nil {
		t.Fatal(err)
	}
	file, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if !file.IsFile() || file.ContentType() != "image/png" || file.Header.Get("X-Digest") != "abc" {
		t.Errorf("got file %v, type %q, header %v", file.IsFile(), file.ContentType(), file.Header)
	}
	if n, err := file.Read(nil); n != 0 || err != nil {
		t.Errorf("empty read: got %d, %v", n, err)
	}
	field, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if field.IsFile() || field.ContentType() != "" {
		t.Errorf("got file %v, type %q", field.IsFile(), field.ContentType())
	}
	if value, err := field.Value(); value != "v" || err != nil {
		t.Errorf("got value %q, %v", value, err)
	}
}

func TestValueTooLarge(t *testing.T) {
	t.Parallel()
	body := encode(boundary, entry{"a", "", strings.Repeat("v", 64<<10+1)}, entry{"b", "", "next"})
	r, err := multipart.NewReader(strings.NewReader(body), boundary, multipart.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	part, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Value(); !errors.Is(err, multipart.ErrFieldTooLarge) {
		t.Errorf("got %v, want %v", err, multipart.ErrFieldTooLarge)
	}
	if part, err = r.Next(); err != nil || part.FormName() != "b" {
		t.Errorf("part behind it: got %v, %v", part, err)
	}
}
