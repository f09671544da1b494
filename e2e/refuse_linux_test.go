package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The limit for uploads holds each way: what is just as large is stored, one
// byte more is refused and leaves nothing.
//
// https://github.com/papercomputeco/tapes/pull/311
// https://github.com/versity/versitygw/pull/354
func TestUploadLimit(t *testing.T) {
	t.Parallel()
	const limit = 3*mib + 5
	fits, over := content(t, limit), content(t, limit+1)
	s := start(t, "--max-upload-size", strconv.Itoa(limit))
	for name, send := range map[string]func(path, name string) answer{
		"PUT": func(path, name string) answer { return curl(t, "-T", path, s.fileURL(name)) },
		"chunked": func(path, name string) answer {
			return curl(t, "-H", chunked, "-T", path, s.fileURL(name))
		},
		"form": func(path, name string) answer {
			return curl(t, "-F", "file=@"+path+";filename="+name, s.url("/files/"))
		},
	} {
		send(fits, name+"-fits").want(t, 200, 201)
		sameFile(t, s.file(name+"-fits"), fits)
		send(over, name+"-over").want(t, 413)
		s.missing(name + "-over")
	}
	sendTusCurl(t, s, fits, "tus-fits")
	sameFile(t, s.file("tus-fits"), fits)
	curl(t, "-X", "POST", "-H", tusVersion, "-H", fmt.Sprintf("Upload-Length: %d", limit+1), s.url("/tus/")).want(t, 413)
	eventually(t, "the server is at rest", s.atRest)
}

// A form of many small files is no way round the limit.
func TestUploadLimitOfWholeForm(t *testing.T) {
	t.Parallel()
	small := content(t, mib)
	s := start(t, "--max-upload-size", strconv.Itoa(2*mib+mib/2))
	var args []string
	for i := range 3 {
		args = append(args, "-F", fmt.Sprintf("file=@%s;filename=%d.bin", small, i))
	}
	curl(t, append(args, s.url("/files/"))...).want(t, 413)
	if got := s.stored(); len(got) != 0 {
		t.Errorf("the disk holds %q", got)
	}
	eventually(t, "the server is at rest", s.atRest)
}

// An early refusal reaches the client, though it is still sending.
//
// https://github.com/valyala/fasthttp/issues/1348
// https://github.com/gofiber/fiber/issues/1940
func TestRefusalArrives(t *testing.T) {
	t.Parallel()
	const times = 20
	path := content(t, 50_000_000)
	s := start(t, "--max-upload-size", "1MiB")
	for _, test := range []struct {
		name string
		args []string
	}{
		{"PUT", []string{"-T", path, s.fileURL("over.bin")}},
		{"chunked", []string{"-H", chunked, "-T", path, s.fileURL("over.bin")}},
		{"form", []string{"-F", "file=@" + path + ";filename=over.bin", s.url("/files/")}},
		{"tus", []string{"-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 50000000", "-H", tusType, "--data-binary", "@" + path, s.url("/tus/")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for range times {
				a := curl(t, append([]string{"-H", "Expect:"}, test.args...)...).want(t, 413)
				if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
					t.Errorf("the refusal is %q, want a problem", kind)
				}
			}
			s.in(t).missing("over.bin")
		})
	}
}

// What the head alone refuses gets its answer in place of the permission to
// send.
//
// https://github.com/curl/curl/issues/4949
// https://github.com/reactphp/http/issues/256
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	const expect = "Expect: 100-continue"
	s := start(t, "--max-upload-size", "1MiB")
	for _, test := range []struct {
		name, head string
		status     int
	}{
		{"over the limit", requestHead("PUT", "/files/over.bin", length(2*mib), expect), 413},
		{"form over the limit", requestHead("POST", "/files/", formType, length(100*mib), expect), 413},
		{"bad name", requestHead("PUT", "/files/%2e%2e%2fevil", length(1000), expect), 400},
		{"no form", requestHead("POST", "/files/", "Content-Type: text/plain", length(1000), expect), 415},
		{"no route", requestHead("PUT", "/nowhere", length(1000), expect), 404},
		{"other expectation", requestHead("PUT", "/files/tea", length(1000), "Expect: tea"), 417},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			reply := dial(t, s.in(t)).send(test.head).rest()
			if got := reply.statuses(); len(got) != 1 || got[0] != test.status {
				t.Errorf("statuses %v, want %d alone", got, test.status)
			}
		})
	}
	t.Run("accepted", func(t *testing.T) {
		p := dial(t, s.in(t)).send(requestHead("PUT", "/files/ok.bin", length(5), expect))
		if got := p.head().statuses(); len(got) != 1 || got[0] != 100 {
			t.Fatalf("statuses %v, want 100", got)
		}
		if reply := p.send("hello").fin().rest(); !reply.success() {
			t.Errorf("got %q", reply.raw)
		}
	})
	t.Run("body sent at once", func(t *testing.T) {
		reply := dial(t, s.in(t)).send(requestHead("PUT", "/files/e.bin", length(5), expect), "hello").fin().rest()
		if got := reply.statuses(); len(got) == 0 || got[len(got)-1] != 201 {
			t.Errorf("statuses %v, want 201 at last", got)
		}
		if got := read(t, s.file("e.bin")); string(got) != "hello" {
			t.Errorf("stored %q", got)
		}
	})
	t.Run("HTTP/1.0", func(t *testing.T) {
		head := strings.Replace(requestHead("PUT", "/files/old.bin", length(5), expect), "HTTP/1.1", "HTTP/1.0", 1)
		reply := dial(t, s.in(t)).send(head, "hello").fin().rest()
		if got := reply.statuses(); len(got) != 1 || got[0] == 100 {
			t.Errorf("statuses %v, want one and no 100", got)
		}
	})
}

// early is a request that is answered without its body.
type early struct {
	name, method, path string
	fields             []string
	status             int
}

// earlyExits lists them. Upload is a tus upload at offset 0, "there" a file.
func earlyExits(upload string) []early {
	return []early{
		{"no route", "POST", "/no-such-route", nil, 404},
		{"wrong method", "PATCH", "/files/x", nil, 405},
		{"wrong method for tus", "PUT", upload, nil, 405},
		{"bad name", "PUT", "/files/%2e%2e%2fevil", nil, 400},
		{"over the limit by its field", "POST", "/tus/", []string{tusVersion, "Upload-Length: 99999999999"}, 413},
		{"piece of a file", "PUT", "/files/x", []string{"Content-Range: bytes 0-9/100"}, 400},
		{"file there", "PUT", "/files/there", []string{"If-None-Match: *"}, 412},
		{"no file there", "PUT", "/files/nothing", []string{`If-Match: "x"`}, 412},
		{"folder there", "PUT", "/files/folder", nil, 409},
		{"folder by its path", "PUT", "/files/folder/", nil, 409},
		{"no form", "POST", "/files/", []string{"Content-Type: text/plain"}, 415},
		{"no boundary", "POST", "/files/", []string{"Content-Type: multipart/form-data"}, 415},
		{"no tus", "PATCH", upload, []string{tusType, "Upload-Offset: 0"}, 412},
		{"wrong offset", "PATCH", upload, []string{tusVersion, tusType, "Upload-Offset: 7"}, 409},
		{"no offset", "PATCH", upload, []string{tusVersion, tusType}, 400},
		{"wrong type for tus", "PATCH", upload, []string{tusVersion, "Upload-Offset: 0", "Content-Type: text/plain"}, 415},
		{"unknown upload", "PATCH", "/tus/0123456789abcdef0123456789abcdef", []string{tusVersion, tusType, "Upload-Offset: 0"}, 404},
	}
}

// unreadBodies are requests whose handlers have no use for a body.
var unreadBodies = []early{
	{"GET of nothing", "GET", "/files/nothing", nil, 404},
	{"GET", "GET", "/files/there", nil, 200},
	{"GET of what is known", "GET", "/files/there", []string{"If-None-Match: *"}, 304},
	{"HEAD", "HEAD", "/files/there", nil, 200},
	{"HEAD of nothing", "HEAD", "/files/nothing", nil, 404},
	{"DELETE of nothing", "DELETE", "/files/nothing", nil, 404},
	{"OPTIONS", "OPTIONS", "/files/x", nil, 204},
	{"OPTIONS of all", "OPTIONS", "*", nil, 204},
}

// exitServer is a server with what the exits are about.
func exitServer(t *testing.T) (s *server, exits []early) {
	s = start(t, "--max-upload-size", "64MiB", "--idle-timeout", "10m")
	s.put("there", "content")
	s.put("folder/there", "content")
	return s, earlyExits(s.createTus("tus.bin", mib))
}

// A body that nobody reads is never taken for the next request: there is one
// answer, and if the connection goes on, it does so behind the body.
//
// https://github.com/valyala/fasthttp/pull/2368
// https://github.com/valyala/fasthttp/pull/2336
// https://github.com/valyala/fasthttp/pull/2352
func TestUnreadBodyIsNoRequest(t *testing.T) {
	t.Parallel()
	s, exits := exitServer(t)
	for _, e := range append(exits, unreadBodies...) {
		for _, size := range []int{0, 8 * kib, 300 * kib} {
			for framing, frame := range bodyFramings {
				t.Run(fmt.Sprintf("%s, %s of %d bytes", e.name, framing, size), func(t *testing.T) {
					t.Parallel()
					field, body := frame(strings.Repeat("A", size) + smuggled)
					head := requestHead(e.method, e.path, append(e.fields, field)...)
					answeredOnce(s.in(t), e.status, head, body)
					if field != chunked {
						old := strings.Replace(head, "HTTP/1.1", "HTTP/1.0", 1)
						answeredOnce(s.in(t), e.status, strings.Replace(old, "\r\n", "\r\nConnection: keep-alive\r\n", 1), body)
					}
				})
			}
		}
	}
	t.Cleanup(s.smuggledNothing)
}

// bodyFramings are the ways of framing content.
var bodyFramings = map[string]func(content string) (field, body string){
	"length": func(content string) (field, body string) { return length(len(content)), content },
	"chunk": func(content string) (field, body string) {
		return chunked, fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(content), content)
	},
	"chunks": func(content string) (field, body string) {
		var b strings.Builder
		for part := range slices.Chunk([]byte(content), 1000) {
			fmt.Fprintf(&b, "%x\r\n%s\r\n", len(part), part)
		}
		return chunked, b.String() + "0\r\n\r\n"
	},
}

// smuggled is a body that would like to be a request.
const smuggled = "GET /files/SMUGGLED HTTP/1.1\r\nHost: x\r\n\r\n"

// answeredOnce sends a request and another one behind it. It fails the test
// unless the first gets the status, and the second either its own or none,
// because the connection has been closed.
func answeredOnce(s *server, status int, head, body string) {
	s.t.Helper()
	p := dial(s.t, s)
	if p.try(head, body, next) == nil { // the server may stop reading
		_ = p.conn.CloseWrite()
	}
	got := p.rest().statuses()
	if !slices.Equal(got, []int{status}) && !slices.Equal(got, []int{status, 404}) {
		s.t.Errorf("statuses %v, want %d, and at most 404 after it", got, status)
	}
}

// What the head decides is answered before a byte of the body has come, and no
// matter whether the client has asked for that. The server would wait longer
// than the test for a body.
func TestHeadDecides(t *testing.T) {
	t.Parallel()
	s, exits := exitServer(t)
	exits = append(exits,
		early{"over the limit", "PUT", "/files/over", nil, 413},
		early{"form over the limit", "POST", "/files/", []string{formType}, 413},
		early{"form over the limit, without the slash", "POST", "/files", []string{formType}, 413},
	)
	for _, e := range exits {
		for name, fields := range map[string][]string{
			"":                      {length(100 * mib)},
			", expecting":           {length(100 * mib), "Expect: 100-continue"},
			", expecting, in chunk": {chunked, "Expect: 100-continue"},
			", in chunks":           {chunked},
		} {
			if slices.Contains(fields, chunked) && strings.Contains(e.name, "over the limit") && e.path != "/tus/" {
				continue // which nobody knows yet
			}
			t.Run(e.name+name, func(t *testing.T) {
				t.Parallel()
				reply := dial(t, s.in(t)).send(requestHead(e.method, e.path, append(fields, e.fields...)...)).rest()
				if got := reply.statuses(); !slices.Equal(got, []int{e.status}) {
					t.Errorf("statuses %v, want %d alone", got, e.status)
				}
			})
		}
	}
}

// Clients that send a whole body before they look for an answer find it, as do
// those that look for it meanwhile.
func TestRefusalArrivesInTheEnd(t *testing.T) {
	t.Parallel()
	const times, size = 100, 50_000_000
	s := start(t, "--max-upload-size", "1MiB")
	t.Run("sends all first", func(t *testing.T) {
		t.Parallel()
		for range times {
			p := dial(t, s.in(t)).send(requestHead("PUT", "/files/over", length(size)))
			_, _ = io.CopyN(p.conn, endless{}, size) // the server may stop reading
			if got := p.rest().statuses(); !slices.Equal(got, []int{413}) {
				t.Errorf("statuses %v, want 413", got)
			}
		}
	})
	for _, keepAlive := range []bool{true, false} {
		t.Run(fmt.Sprintf("net/http, keep-alive %t", keepAlive), func(t *testing.T) {
			t.Parallel()
			c := s.in(t).client()
			c.http.Transport.(*http.Transport).DisableKeepAlives = !keepAlive
			for range times {
				if a, err := c.do("PUT", "/files/over", io.LimitReader(endless{}, size), size); err != nil || a.status != 413 {
					t.Errorf("status %d, %v, want 413", a.status, err)
				}
			}
		})
	}
}
