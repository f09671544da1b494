package framing_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"sluice/internal/framing"
)

const (
	get     = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	put     = "PUT /f HTTP/1.1\r\nHost: x\r\n"
	chunked = put + "Transfer-Encoding: chunked\r\n\r\n"
	limit   = 1000
)

// sources are ways in which the same bytes come.
var sources = map[string]func(string) io.Reader{
	"at once":      func(s string) io.Reader { return strings.NewReader(s) },
	"byte by byte": func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) },
	"by halves":    func(s string) io.Reader { return iotest.HalfReader(strings.NewReader(s)) },
	"end with data": func(s string) io.Reader {
		return iotest.DataErrReader(strings.NewReader(s))
	},
}

// A trailer is told, whatever it is named and however it came.
func TestTrailer(t *testing.T) {
	for way, source := range sources {
		t.Run(way, func(t *testing.T) {
			r := framing.NewReader(source(chunked+"1\r\nx\r\n0\r\ncontent-length: 9\r\nUpload-Checksum: sha1 AAA=\r\n\r\n"+get), limit)
			if _, err := io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{"Content-Length": "9", "upload-checksum": "sha1 AAA=", "Host": ""} {
				if got := r.Trailer(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestSound(t *testing.T) {
	for _, test := range []struct {
		name, sent string
		want       string // where it isn't what was sent
	}{
		{"nothing", "", ""},
		{"a request", get, ""},
		{"two in a row", get + get, ""},
		{"empty lines before", "\r\n\r\n" + get + "\r\n" + get, get + get},
		{"sized body", put + "Content-Length: 5\r\n\r\nhel\no" + get, ""},
		{"length with zeros", put + "Content-Length: 005\r\n\r\nhello" + get, ""},
		{"body that looks like a head", put + "Content-Length: 6\r\n\r\na: b\n\n" + get, ""},
		{"HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", ""},
		{"expectation", put + "Content-Length: 1\r\nExpect: 100-Continue\r\n\r\nx", ""},
		{"expectations mean nothing in HTTP/1.0", "PUT / HTTP/1.0\r\nExpect: beer\r\n\r\n", ""},
		{"URL", "GET http://x:80/a?b HTTP/1.1\r\nHost: y\r\n\r\n", ""},
		{"URL without a path", "GET http://x?b HTTP/1.1\r\nHost: y\r\n\r\n", ""},
		{"asterisk", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		{"IPv6 host", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", ""},
		{"bytes beyond ASCII", "GET /ä HTTP/1.1\r\nHost: x\r\nX: ä\r\n\r\n", ""},
		{"empty value", "GET / HTTP/1.1\r\nHost: x\r\nX:\r\nY: \t \r\n\r\n", ""},
		{"chunks", chunked + "5\r\nhel\no\r\nA\r\n0123456789\r\n0\r\n\r\n" + get, ""},
		{"chunked in other letters", put + "transfer-encoding: \tChUnKeD \r\n\r\n00\r\n\r\n" + get, ""},
		{"extension", chunked + "1;a=\"b c\";d\r\nx\r\n0;e\r\n\r\n" + get, ""},
		{
			"trailers are left out", chunked + "1\r\nx\r\n0\r\nContent-Length: 9\r\nX:\ty\r\n\r\n" + get,
			chunked + "1\r\nx\r\n0\r\n\r\n" + get,
		},
		{"incomplete", put + "Content-Le", ""},
		{"a chunk of each byte", chunked + strings.Repeat("1\r\nx\r\n", 9000) + "0\r\n\r\n", ""},
		{"head of the limit", "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", limit-32) + "\r\n\r\n" + get, ""},
	} {
		for way, source := range sources {
			t.Run(test.name+" "+way, func(t *testing.T) {
				want := test.want
				if want == "" {
					want = test.sent
				}
				got, err := io.ReadAll(framing.NewReader(source(test.sent), limit))
				if err != nil || string(got) != want {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
			})
		}
	}
}

// faulty is what may not pass, by its fault.
var faulty = []struct {
	name, sent string
	want       error
}{
	{"two lengths", put + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", framing.ErrMalformed},
	{"length and coding", put + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", framing.ErrMalformed},
	{"signed length", put + "Content-Length: +5\r\n\r\nhello", framing.ErrMalformed},
	{"empty length", put + "Content-Length:\r\n\r\n", framing.ErrMalformed},
	{"list of lengths", put + "Content-Length: 5,5\r\n\r\nhello", framing.ErrMalformed},
	{"length that overflows", put + "Content-Length: 18446744073709551621\r\n\r\nhello", framing.ErrMalformed},
	{"unknown coding", put + "Transfer-Encoding: xchunked\r\n\r\n", framing.ErrUnsupported},
	{"identity", put + "Transfer-Encoding: identity\r\n\r\n", framing.ErrUnsupported},
	{"another coding first", put + "Transfer-Encoding: gzip, chunked\r\n\r\n", framing.ErrUnsupported},
	{"another coding last", put + "Transfer-Encoding: chunked, gzip\r\n\r\n", framing.ErrMalformed},
	{"chunked twice", put + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", framing.ErrMalformed},
	{"chunked and an empty one", put + "Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n\r\n", framing.ErrMalformed},
	{"coding in HTTP/1.0", "PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", framing.ErrMalformed},
	{"space before the colon", put + "Content-Length : 5\r\n\r\nhello", framing.ErrMalformed},
	{"folded line", put + "X: a\r\n b\r\n\r\n", framing.ErrMalformed},
	{"no host", "GET / HTTP/1.1\r\n\r\n", framing.ErrMalformed},
	{"two hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", framing.ErrMalformed},
	{"user in the host", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", framing.ErrMalformed},
	{"bare LF", "GET / HTTP/1.1\nHost: x\r\n\r\n", framing.ErrMalformed},
	{"bare LF at the end", "GET / HTTP/1.1\r\nHost: x\r\n\n", framing.ErrMalformed},
	{"bare CR", put + "X: a\rb\r\n\r\n", framing.ErrMalformed},
	{"NUL", put + "X: a\x00b\r\n\r\n", framing.ErrMalformed},
	{"two spaces", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", framing.ErrMalformed},
	{"no version", "GET /\r\n\r\n", framing.ErrMalformed},
	{"fragment", "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n", framing.ErrMalformed},
	{"newer version", "GET / HTTP/2.0\r\nHost: x\r\n\r\n", framing.ErrVersion},
	{"tunnel", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", framing.ErrUnsupported},
	{"authority", "GET x:443 HTTP/1.1\r\nHost: x\r\n\r\n", framing.ErrMalformed},
	{"asterisk", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", framing.ErrMalformed},
	{"other scheme", "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n", framing.ErrMalformed},
	{"other expectation", put + "Expect: beer\r\n\r\n", framing.ErrExpectation},
	{"large head", put + "X: " + strings.Repeat("x", limit), framing.ErrHeadTooLarge},
	{"large target", "GET /" + strings.Repeat("x", limit), framing.ErrTargetTooLong},
	{"no chunk size", chunked + "\r\n", framing.ErrMalformed},
	{"chunk size in C", chunked + "0x5\r\nhello\r\n0\r\n\r\n", framing.ErrMalformed},
	{"chunk size too large", chunked + "ffffffffffffffff1\r\n", framing.ErrMalformed},
	{"space behind a chunk's size", chunked + "5 \r\nhello\r\n0\r\n\r\n", framing.ErrMalformed},
	{"bare LF behind a chunk's size", chunked + "5\nhello\r\n0\r\n\r\n", framing.ErrMalformed},
	{"bare LF behind a chunk", chunked + "5\r\nhello\n0\r\n\r\n", framing.ErrMalformed},
	{"bare LF in an extension", chunked + "5;a\nb\r\nhello\r\n0\r\n\r\n", framing.ErrMalformed},
	{"long chunk", chunked + "3\r\nhello\r\n0\r\n\r\n", framing.ErrMalformed},
	{"extension without end", chunked + "5;" + strings.Repeat("x", 1<<20), framing.ErrMalformed},
	{"many extensions", chunked + strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\nx\r\n", 9), framing.ErrMalformed},
	{"trailer without a name", chunked + "0\r\n: x\r\n\r\n", framing.ErrMalformed},
	{"bare LF in a trailer", chunked + "0\r\nX: y\n\r\n", framing.ErrMalformed},
	{"large trailer", chunked + "0\r\nX: " + strings.Repeat("x", limit), framing.ErrHeadTooLarge},
}

// A fault ends the input: what came before it is passed on, and nothing of what
// follows, not even on the next try.
func TestFaulty(t *testing.T) {
	for _, test := range faulty {
		for way, source := range sources {
			t.Run(test.name+" "+way, func(t *testing.T) {
				r := framing.NewReader(source(get+test.sent+get), limit)
				got, err := io.ReadAll(r)
				if !errors.Is(err, test.want) || !bytes.HasPrefix(got, []byte(get)) || strings.Count(string(got), get) > 1 {
					t.Errorf("got %q, %v, want %v", got, err, test.want)
				}
				if n, again := r.Read(make([]byte, 1)); n != 0 || again != err {
					t.Errorf("got %d, %v once more", n, again)
				}
			})
		}
	}
}

// Content goes straight into the caller's memory, by one read for each.
func TestContentIsPassedThrough(t *testing.T) {
	const size = 8 << 20
	var asked []int
	src := io.MultiReader(strings.NewReader(put+"Content-Length: 8388608\r\n\r\n"), readerFunc(func(p []byte) (int, error) {
		asked = append(asked, len(p))
		return len(p), nil
	}))
	r := framing.NewReader(src, limit)
	if _, err := r.Read(make([]byte, limit)); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, size/4)
	allocations := testing.AllocsPerRun(2, func() {
		if n, err := r.Read(p); n != len(p) || err != nil {
			t.Errorf("read %d, %v", n, err)
		}
	})
	if allocations > 1 { // asked grows
		t.Errorf("%v allocations for a read", allocations)
	}
	for _, n := range asked {
		if n != len(p) {
			t.Errorf("the connection was asked for %d bytes, want %d", n, len(p))
		}
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func BenchmarkHead(b *testing.B) {
	request := "PUT /files/folder/film.mkv HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: curl/8.14.1\r\nAccept: */*\r\n" +
		"Cookie: " + strings.Repeat("x", 300) + "\r\nContent-Length: 0\r\n\r\n"
	p := make([]byte, len(request))
	r := framing.NewReader(readerFunc(func(p []byte) (int, error) { return copy(p, request), nil }), 16<<10)
	b.SetBytes(int64(len(request)))
	for b.Loop() {
		if _, err := r.Read(p); err != nil {
			b.Fatal(err)
		}
	}
}
