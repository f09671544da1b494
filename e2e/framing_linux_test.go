package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// line0 is the request line of most rows. "NAME" stands for a name of the row's
// own.
const line0 = "PUT /files/NAME HTTP/1.1"

// frame is a request that may be read in more than one way, or that looks as if
// it could.
type frame struct {
	name    string
	section string // of RFC 9112, where it names no other
	request string
	want    int
}

// refusedFrames must not be guessed about. Behind each comes a request that
// nobody may see.
var refusedFrames = []frame{
	{"two lengths", "6.3", withLength("5", "Content-Length: 6") + "hello", 400},
	{"two lengths that agree", "6.3", withLength("5", "Content-Length: 5") + "hello", 400},
	{"two lengths in one field", "6.3", withLength("5,6") + "hello", 400},
	{"two lengths in one field that agree", "6.3", withLength("5,5") + "hello", 400},
	{"length with a plus", "6.2", withLength("+5") + "hello", 400},
	{"length below zero", "6.2", withLength("-1") + "hello", 400},
	{"length in hexadecimal", "6.2", withLength("0x5") + "hello", 400},
	{"length of two words", "6.2", withLength("5 5") + "hello", 400},
	{"length with a fraction", "6.2", withLength("5.0") + "hello", 400},
	{"length with a vertical tab", "RFC 9110 5.5", withLength("\v5") + "hello", 400},
	{"length in other digits", "6.2", withLength("５") + "hello", 400},
	{"empty length", "6.2", withLength("") + "hello", 400},
	{"length beyond 64 bits", "6.2", withLength("18446744073709551621") + "hello", 400},
	{"length beyond 63 bits", "6.2", withLength("9223372036854775808") + "hello", 400},
	{"length on a folded line", "5.2", withLength("\r\n 5") + "hello", 400},
	{"length of GET twice", "6.3", "GET /files/NAME HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 0\r\n\r\nhello", 400},

	{"length before coding", "6.3", withLength("4", chunked) + "0\r\n\r\n", 400},
	{"coding before length", "6.3", withCoding("chunked", "Content-Length: 4") + "0\r\n\r\n", 400},
	{"coding and length zero", "6.3", withCoding("chunked", "Content-Length: 0") + "0\r\n\r\n", 400},
	{"coding that resembles chunked", "6.1", withCoding("xchunked") + "0\r\n\r\n", 501},
	{"identity", "7", withCoding("identity") + "hello", 501},
	{"identity and a length", "6.3", withLength("5", "Transfer-Encoding: identity") + "hello", 400},
	{"another coding last", "6.3", withCoding("chunked, gzip") + "0\r\n\r\n", 400},
	{"another coding first", "6.1", withCoding("gzip, chunked") + "0\r\n\r\n", 501},
	{"chunked twice", "6.1", withCoding("chunked, chunked") + "0\r\n\r\n", 400},
	{"chunked in two fields", "6.1", withCoding("chunked", chunked) + "0\r\n\r\n", 400},
	{"identity and chunked in two fields", "6.1", withCoding("identity", chunked) + "0\r\n\r\n", 501},
	{"chunked and an empty field", "6.1", withCoding("chunked", "Transfer-Encoding:") + "0\r\n\r\n", 400},
	{"empty coding", "6.1", withCoding("") + "0\r\n\r\n", 400},
	{"chunked with a parameter", "7", withCoding("chunked;q=1") + "0\r\n\r\n", 501},
	{"chunked in quotes", "7", withCoding(`"chunked"`) + "0\r\n\r\n", 501},
	{"chunked with a vertical tab", "RFC 9110 5.5", withCoding("\vchunked") + "0\r\n\r\n", 400},
	{"chunked with NUL", "RFC 9110 5.5", withCoding("chunked\x00") + "0\r\n\r\n", 400},
	{"coding on a folded line", "5.2", withCoding("\r\n chunked") + "0\r\n\r\n", 400},
	{"coding in HTTP/1.0", "6.1", "PUT /files/NAME HTTP/1.0\r\nHost: x\r\n" + chunked + "\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 400},
	{"coding and length in HTTP/1.0", "6.1", "PUT /files/NAME HTTP/1.0\r\n" + chunked + "\r\nContent-Length: 5\r\n\r\nhello", 400},

	{"chunk size in C", "7.1", withCoding("chunked") + "0x5\r\nhello\r\n0\r\n\r\n", 400},
	{"chunk size with a plus", "7.1", withCoding("chunked") + "+5\r\nhello\r\n0\r\n\r\n", 400},
	{"chunk size below zero", "7.1", withCoding("chunked") + "-1\r\nhello\r\n0\r\n\r\n", 400},
	{"chunk size with an underscore", "7.1", withCoding("chunked") + "5_0\r\nhello\r\n0\r\n\r\n", 400},
	{"chunk size behind a space", "7.1", withCoding("chunked") + " 5\r\nhello\r\n0\r\n\r\n", 400},
	{"chunk size before a space", "7.1.1", withCoding("chunked") + "5 \r\nhello\r\n0\r\n\r\n", 400},
	{"chunk size before bare LF", "7.1", withCoding("chunked") + "5\nhello\r\n0\r\n\r\n", 400},
	{"chunk size before bare CR", "7.1", withCoding("chunked") + "5\rhello\r\n0\r\n\r\n", 400},
	{"chunk without a size", "7.1", withCoding("chunked") + "\r\nhello\r\n0\r\n\r\n", 400},
	{"chunk size beyond 64 bits", "7.1", withCoding("chunked") + "ffffffffffffffff1\r\nhello\r\n0\r\n\r\n", 400},
	{"chunk size that wraps to 5", "7.1", withCoding("chunked") + "10000000000000005\r\nhello\r\n0\r\n\r\n", 400},
	{"chunk longer than its size", "7.1", withCoding("chunked") + "3\r\nhello\r\n0\r\n\r\n", 400},
	{"chunk shorter than its size", "7.1", withCoding("chunked") + "8\r\nhello\r\n0\r\n\r\n", 400},
	{"chunk before bare LF", "7.1", withCoding("chunked") + "5\r\nhello\n0\r\n\r\n", 400},
	{"last chunk before bare LF", "7.1", withCoding("chunked") + "5\r\nhello\r\n0\n\n", 400},
	{"extension with LF", "7.1.1", withCoding("chunked") + "5;a\nb\r\nhello\r\n0\r\n\r\n", 400},
	{"extension with bare CR", "7.1.1", withCoding("chunked") + "5;a\rb\r\nhello\r\n0\r\n\r\n", 400},
	{"extension of 1 MB", "7.1.1", withCoding("chunked") + "5;" + strings.Repeat("a", 1_000_000) + "\r\nhello\r\n0\r\n\r\n", 400},
	{"extensions without end", "7.1.1", withCoding("chunked") + strings.Repeat("1;"+strings.Repeat("a", 500)+"\r\nx\r\n", 2000) + "0\r\n\r\n", 400},
	{"trailer with bare LF", "7.1.2", withCoding("chunked") + "5\r\nhello\r\n0\r\nX: y\n\r\n", 400},
	{"trailer that is no field", "7.1.2", withCoding("chunked") + "5\r\nhello\r\n0\r\nGET / HTTP/1.1\r\n\r\n", 400},

	{"space before the colon", "5.1", with("Content-Length : 5") + "hello", 400},
	{"tab before the colon", "5.1", with("Content-Length\t: 5") + "hello", 400},
	{"space in a name", "5.1", with("Content Length: 5") + "hello", 400},
	{"name that is no token", "5.1", with("Content-Length(: 5") + "hello", 400},
	{"empty name", "5.1", with(": 5") + "hello", 400},
	{"line without a colon", "5.1", with("Content-Length 5") + "hello", 400},
	{"NUL in a name", "5.1", with("Content-Length\x00: 5") + "hello", 400},
	{"folded line", "5.2", with("X: a", " b: c") + "hello", 400},
	{"folded first line", "2.2", line0 + "\r\n Host: x\r\n\r\n", 400},
	{"bare CR in a value", "2.2", with("X: a\rContent-Length: 5") + "hello", 400},
	{"NUL in a value", "RFC 9110 5.5", with("X: a\x00b"), 400},
	{"DEL in a value", "RFC 9110 5.5", with("X: a\x7fb"), 400},
	{"bare LF behind a field", "2.2", with("X: a\nContent-Length: 5") + "hello", 400},
	{"bare LF behind the request line", "2.2", line0 + "\nHost: x\r\n\r\n", 400},
	{"bare LF at the end", "2.2", line0 + "\r\nHost: x\r\n\n", 400},
	{"nothing but bare LF", "2.2", line0 + "\nHost: x\n\n", 400},
	{"two CR at an end", "2.2", line0 + "\r\nHost: x\r\r\n\r\n", 400},

	{"no host", "3.2", line0 + "\r\n\r\n", 400},
	{"two hosts", "3.2", with("Host: x"), 400},
	{"empty host", "RFC 9110 4.2.1", line0 + "\r\nHost:\r\n\r\n", 400},
	{"host with a space", "3.2", line0 + "\r\nHost: a b\r\n\r\n", 400},
	{"host with a path", "3.2", line0 + "\r\nHost: x/y\r\n\r\n", 400},
	{"host with a user", "RFC 9110 4.2.4", line0 + "\r\nHost: a@x\r\n\r\n", 400},
	{"host with two ports", "3.2", line0 + "\r\nHost: x:80:80\r\n\r\n", 400},
	{"host with an open bracket", "3.2", line0 + "\r\nHost: [::1\r\n\r\n", 400},

	{"no version", "3", "GET /files/NAME\r\nHost: x\r\n\r\n", 400},
	{"no target", "3", "GET HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"two spaces", "3", "GET  /files/NAME HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"tab for a space", "3", "GET\t/files/NAME\tHTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"space at the end", "3", line0 + " \r\nHost: x\r\n\r\n", 400},
	{"space in the target", "3", "GET /files/NAME b HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"space at the beginning", "3", " " + line0 + "\r\nHost: x\r\n\r\n", 400},
	{"method that is no token", "3.1", "GE(T /files/NAME HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"unknown method", "3.1", "BREW /files/NAME HTTP/1.1\r\nHost: x\r\n\r\n", 501},
	{"method in small letters", "3.1", "get /files/NAME HTTP/1.1\r\nHost: x\r\n\r\n", 501},
	{"tunnel", "3.2.3", "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n", 501},
	{"authority", "3.2.3", "GET x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n", 400},
	{"asterisk", "3.2.4", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"path without a slash", "3.2.1", "GET files/NAME HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"fragment", "3.2", "GET /files/NAME#x HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"NUL in the target", "3.2", "GET /files/NAME\x00 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"URL with a user", "RFC 9110 4.2.4", "GET http://a@x/files/NAME HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"URL of another scheme", "3.2.2", "GET ftp://x/files/NAME HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"URL without a host", "3.2.2", "GET http:///files/NAME HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"version in small letters", "2.3", "GET /files/NAME http/1.1\r\nHost: x\r\n\r\n", 400},
	{"version of three digits", "2.3", "GET /files/NAME HTTP/1.10\r\nHost: x\r\n\r\n", 400},
	{"HTTP/2", "2.3", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
	{"HTTP/0.9", "2.3", "GET /files/NAME HTTP/0.9\r\nHost: x\r\n\r\n", 505},
	{"newer HTTP/1", "2.3", "GET /files/NAME HTTP/1.2\r\nHost: x\r\n\r\n", 505},

	{"unknown expectation", "RFC 9110 10.1.1", withLength("5", "Expect: tea") + "hello", 417},
	{"two expectations", "RFC 9110 10.1.1", withLength("5", "Expect: 100-continue, tea") + "hello", 417},
	{"fields of 200 KB", "RFC 6585 5", with("X: " + strings.Repeat("x", 200_000)), 431},
	{"many fields", "RFC 6585 5", with(strings.Repeat("X: y\r\n", 40_000) + "X: y"), 431},
	{"URL of 200 KB", "RFC 9110 15.5.15", "GET /" + strings.Repeat("x", 200_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", 414},
	{"trailers of 200 KB", "7.1.2", withCoding("chunked") + "5\r\nhello\r\n0\r\nX: " + strings.Repeat("x", 200_000) + "\r\n\r\n", 431},
}

// soundFrames are unusual, and mean one thing alone: a file that holds hello.
// Behind each comes a request that is answered.
var soundFrames = []frame{
	{"length", "6.2", withLength("5") + "hello", 201},
	{"length with zeros", "6.2", withLength("0005") + "hello", 201},
	{"length with a tab", "5.1", withLength("\t 5\t ") + "hello", 201},
	{"chunked in other letters", "7", withCoding("ChUnKeD") + "5\r\nhello\r\n0\r\n\r\n", 201},
	{"chunks", "7.1", withCoding("chunked") + "1\r\nh\r\n0003\r\nell\r\n1\r\no\r\n000\r\n\r\n", 201},
	{"extensions", "7.1.1", withCoding("chunked") + "5;a;b=\"c d\"\r\nhello\r\n0;e\r\n\r\n", 201},
	{"trailers", "7.1.2", withCoding("chunked") + "5\r\nhello\r\n0\r\nContent-Length: 9\r\nX: y\r\n\r\n", 201},
	{"trailer of a coding", "7.1.2", withCoding("chunked", "Trailer: X") + "5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n", 201},
	{"empty lines before", "2.2", "\r\n\r\n" + withLength("5") + "hello\r\n", 201},
	{"URL", "3.2.2", "PUT http://elsewhere:81/files/NAME HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 201},
	{"URL of https", "3.2.2", "PUT HTTPS://elsewhere/files/NAME HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 201},
	{"bytes beyond ASCII", "RFC 9110 5.5", withLength("5", "X: \xe4\xf6\xfc") + "hello", 201},
	{"IPv6 host", "3.2", "PUT /files/NAME HTTP/1.1\r\nHost: [::1]:8080\r\nContent-Length: 5\r\n\r\nhello", 201},
	{"head of 32 KB", "5.4", withLength("5", "Cookie: "+strings.Repeat("x", 32_000)) + "hello", 201},
	{"HTTP/1.0", "6.3", "PUT /files/NAME HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello", 201},
	{"expectation in HTTP/1.0", "RFC 9110 10.1.1", "PUT /files/NAME HTTP/1.0\r\nConnection: keep-alive\r\nExpect: tea\r\nContent-Length: 5\r\n\r\nhello", 201},
}

// withLength is the head of a request with a length and other fields.
func withLength(length string, fields ...string) string {
	return with(append([]string{"Content-Length: " + length}, fields...)...)
}

// withCoding is the head of a request with a transfer coding and other fields.
func withCoding(coding string, fields ...string) string {
	return with(append([]string{"Transfer-Encoding: " + coding}, fields...)...)
}

// with is the head of a request with the fields.
func with(fields ...string) string {
	return line0 + "\r\nHost: x\r\n" + strings.Join(fields, "\r\n") + "\r\n\r\n"
}

// A request of which the end isn't certain gets one answer, and ends its
// connection: what stands behind it is nobody's request.
//
// https://github.com/valyala/fasthttp/pull/1719
// https://github.com/valyala/fasthttp/pull/1899
// https://github.com/valyala/fasthttp/pull/2193
// https://github.com/valyala/fasthttp/pull/2330
// https://github.com/cloudwego/hertz/pull/1490
// https://github.com/openwrt/uhttpd/issues/3
// https://github.com/golang/go/issues/71988
func TestFramingIsCertain(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i, f := range refusedFrames {
		for _, first := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, first %t", f.name, first), func(t *testing.T) {
				t.Parallel()
				want := []int{f.want}
				p := dial(t, s.in(t))
				if !first {
					p.send(next)
					want = []int{404, f.want}
				}
				_ = p.try(strings.ReplaceAll(f.request, "NAME", fmt.Sprint("refused-", i)) + smuggled) // the server may stop reading
				if got := p.rest().statuses(); !slices.Equal(got, want) {
					t.Errorf("statuses %v, want %v (section %s)", got, want, f.section)
				}
			})
		}
	}
	t.Cleanup(func() {
		if got := s.stored(); len(got) != 0 {
			t.Errorf("the disk holds %q", got)
		}
		s.smuggledNothing()
	})
}

// next is a request that may follow. Nothing stands under its name.
const next = "GET /files/next HTTP/1.1\r\nHost: x\r\n\r\n"

// smuggledNothing fails the test if the request in a body has been seen.
func (s *server) smuggledNothing() {
	s.t.Helper()
	if strings.Contains(s.log.String(), "SMUGGLED") {
		s.t.Error("what stood behind a request was taken for another one")
	}
}

// What means one thing alone is stored, and the connection goes on behind it.
func TestSoundFrames(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i, f := range soundFrames {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			name := fmt.Sprint("sound-", i)
			p := dial(t, s.in(t)).send(strings.ReplaceAll(f.request, "NAME", name), next).fin()
			if got, want := p.rest().statuses(), []int{f.want, 404}; !slices.Equal(got, want) {
				t.Errorf("statuses %v, want %v (section %s)", got, want, f.section)
			}
			if got := read(t, s.file(name)); string(got) != "hello" {
				t.Errorf("stored %q", got)
			}
		})
	}
}

// Uploads that come one behind the other, all at once, are stored each for
// itself, and answered each once.
func TestPipelinedUploads(t *testing.T) {
	t.Parallel()
	s := start(t)
	const n = 20
	var sent strings.Builder
	var want []int
	for i := range n {
		frame := bodyFramings[[]string{"length", "chunk", "chunks"}[i%3]]
		field, body := frame(strings.Repeat(fmt.Sprint(i%10), 1000*i+1))
		sent.WriteString(requestHead("PUT", fmt.Sprint("/files/", i), field) + body)
		want = append(want, 201)
	}
	if got := dial(t, s).send(sent.String()).fin().rest().statuses(); !slices.Equal(got, want) {
		t.Errorf("statuses %v, want %d of 201", got, n)
	}
	for i := range n {
		if got := string(read(t, s.file(fmt.Sprint(i)))); got != strings.Repeat(fmt.Sprint(i%10), 1000*i+1) {
			t.Errorf("file %d holds %d bytes, or others", i, len(got))
		}
	}
}

// A refusal that no route has seen is logged and counted.
func TestRefusedFramesAreCounted(t *testing.T) {
	t.Parallel()
	s := start(t)
	for reason, request := range map[string]string{
		"malformed":       withLength("+5"),
		"head_too_large":  with("X: " + strings.Repeat("x", 200_000)),
		"target_too_long": "GET /" + strings.Repeat("x", 200_000),
		"unsupported":     withCoding("gzip"),
		"version":         "GET / HTTP/3.0\r\n\r\n",
		"expectation":     withLength("5", "Expect: tea"),
	} {
		before := s.scrape().sum(refusedTotal, "reason="+reason)
		p := dial(t, s)
		_ = p.try(request) // the server may stop reading
		p.rest()
		if got := s.scrape().sum(refusedTotal, "reason="+reason); got != before+1 {
			t.Errorf("%s: counted %v, then %v", reason, before, got)
		}
		if !strings.Contains(s.log.String(), "request failed") {
			t.Errorf("%s: not logged", reason)
		}
	}
}
