package e2e_test

import (
	"fmt"
	"io"
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

// A body that nobody reads is never taken for the next request.
//
// https://github.com/valyala/fasthttp/pull/2368
// https://github.com/valyala/fasthttp/pull/2336
// https://github.com/valyala/fasthttp/pull/2352
func TestUnreadBodyIsNoRequest(t *testing.T) {
	t.Parallel()
	s := start(t, "--max-upload-size", "64MiB")
	upload := s.createTus("tus.bin", mib)
	for _, test := range []struct {
		name, method, path string
		fields             []string
		statuses           []int
	}{
		{"no route", "POST", "/no-such-route", nil, []int{404}},
		{"wrong method", "PATCH", "/files/x", nil, []int{405}},
		{"bad name", "PUT", "/files/%2e%2e%2fevil", nil, []int{400}},
		{"piece of a file", "PUT", "/files/x", []string{"Content-Range: bytes 0-9/100"}, []int{400}},
		{"no form", "POST", "/files/", []string{"Content-Type: text/plain"}, []int{415}},
		{"no tus", "PATCH", upload, []string{tusType, "Upload-Offset: 0"}, []int{412}},
		{"wrong offset", "PATCH", upload, []string{tusVersion, tusType, "Upload-Offset: 7"}, []int{409}},
		{"wrong type for tus", "PATCH", upload, []string{tusVersion, "Upload-Offset: 0", "Content-Type: text/plain"}, []int{400, 415}},
		{"unknown upload", "PATCH", "/tus/0123456789abcdef0123456789abcdef", []string{tusVersion, tusType, "Upload-Offset: 0"}, []int{404}},
		{"GET with a body", "GET", "/files/nothing", nil, []int{404}},
		{"DELETE with a body", "DELETE", "/files/nothing", nil, []int{404}},
	} {
		for _, size := range []int{0, 8 * kib, 300 * kib} {
			t.Run(fmt.Sprintf("%s, %d bytes", test.name, size), func(t *testing.T) {
				t.Parallel()
				body := strings.Repeat("A", size) + smuggled
				wantOne(s.in(t), test.statuses, requestHead(test.method, test.path, append(test.fields, length(len(body)))...), body)
			})
			t.Run(fmt.Sprintf("%s, chunk of %d bytes", test.name, size), func(t *testing.T) {
				t.Parallel()
				body := strings.Repeat("A", size) + smuggled
				framed := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
				wantOne(s.in(t), test.statuses, requestHead(test.method, test.path, append(test.fields, chunked)...), framed)
			})
		}
	}
	t.Cleanup(func() {
		if strings.Contains(s.log.String(), "SMUGGLED") {
			t.Error("a body was taken for a request")
		}
	})
}

// smuggled is a body that would like to be a request.
const smuggled = "GET /files/SMUGGLED HTTP/1.1\r\nHost: x\r\n\r\n"

// wantOne sends a request and fails the test unless one answer with one of the
// statuses comes back.
func wantOne(s *server, statuses []int, head, body string) {
	s.t.Helper()
	p := dial(s.t, s).send(head)
	_, _ = io.WriteString(p.conn, body) // the server may stop reading
	_ = p.conn.CloseWrite()
	reply := p.rest()
	if got := reply.statuses(); len(got) != 1 || !slices.Contains(statuses, got[0]) {
		s.t.Errorf("statuses %v, want one of %v alone", got, statuses)
	}
}
