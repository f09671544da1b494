package e2e_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http/httputil"
	"strings"
)

// way is a way into the server, byte by byte.
type way struct {
	name     string
	protocol string // its label in the metrics
	// open makes the request's head, with what stands before the content, and
	// what has to follow behind size bytes of content.
	open func(s *server, name string, size int) (head, tail string)
	// chunks makes every write a chunk.
	chunks bool
	// held is how many bytes the server may hold back, uncounted, until it sees
	// what follows them.
	held int
	// stalled is the status for those who fall silent.
	stalled int
}

var (
	wayPUT     = way{name: "PUT", protocol: "put", open: openPUT, stalled: 408}
	wayChunked = way{name: "chunked PUT", protocol: "put", open: openChunked, chunks: true, stalled: 408}
	wayForm    = way{name: "form", protocol: "form", open: openForm, held: len(formTail), stalled: 408}
	// Clients go on with a tus upload after this one.
	wayTus = way{name: "tus", protocol: "tus", open: openTus, stalled: 503}

	ways = []way{wayPUT, wayChunked, wayForm, wayTus}
)

func openPUT(_ *server, name string, size int) (head, tail string) {
	return requestHead("PUT", "/files/"+name, length(size)), ""
}

func openChunked(_ *server, name string, _ int) (head, tail string) {
	return requestHead("PUT", "/files/"+name, chunked), "0\r\n\r\n"
}

const (
	boundary = "----e2e-boundary-7MA4YWxkTrZu0gW"
	formType = "Content-Type: multipart/form-data; boundary=" + boundary
	formTail = "\r\n--" + boundary + "--\r\n"
)

func openForm(_ *server, name string, size int) (head, tail string) {
	part := partHead(name)
	return requestHead("POST", "/files/", formType, length(len(part)+size+len(formTail))) + part, formTail
}

// partHead begins the part of a file in a form.
func partHead(name string) string {
	return "--" + boundary + "\r\n" +
		`Content-Disposition: form-data; name="file"; filename="` + name + `"` + "\r\n" +
		"Content-Type: application/octet-stream\r\n\r\n"
}

func openTus(s *server, name string, size int) (head, tail string) {
	return patchHead(s.createTus(name, size), 0, size), ""
}

// createTus creates an upload and returns its path.
func (s *server) createTus(name string, size int) string {
	s.t.Helper()
	a := curl(s.t, "-X", "POST", "-H", tusVersion, "-H", fmt.Sprintf("Upload-Length: %d", size),
		"-H", "Upload-Metadata: filename "+base64.StdEncoding.EncodeToString([]byte(name)), s.url("/tus/")).want(s.t, 201)
	path := a.header.Get("Location")
	if !strings.HasPrefix(path, "/tus/") {
		s.t.Fatalf("Location of a new upload is %q, want a path below /tus/", path)
	}
	return path
}

const (
	tusVersion = "Tus-Resumable: 1.0.0"
	tusType    = "Content-Type: application/offset+octet-stream"
)

// patchHead is the head of a PATCH of n bytes at an offset.
func patchHead(path string, offset, n int) string {
	return requestHead("PATCH", path, tusVersion, tusType, fmt.Sprintf("Upload-Offset: %d", offset), length(n))
}

// tusOffset asks how far an upload has come.
func (s *server) tusOffset(path string) string {
	s.t.Helper()
	return curlHead(s.t, "-H", tusVersion, s.url(path)).want(s.t, 200).header.Get("Upload-Offset")
}

// uploading is an upload on its way: what is written is its content.
type uploading struct {
	io.Writer
	peer *peer
	tail string
}

// begin sends a request's head on a new connection.
func (w way) begin(s *server, name string, size int) *uploading {
	s.t.Helper()
	head, tail := w.open(s, name, size)
	p := dial(s.t, s).send(head)
	if w.chunks {
		return &uploading{httputil.NewChunkedWriter(p.conn), p, tail}
	}
	return &uploading{p.conn, p, tail}
}

// send writes content, which the server must take.
func (u *uploading) send(data []byte) {
	u.peer.t.Helper()
	if _, err := u.Write(data); err != nil {
		u.peer.t.Fatal(err)
	}
}

// finish ends the content and returns all that comes back.
func (u *uploading) finish() reply {
	u.peer.t.Helper()
	return u.peer.send(u.tail).fin().rest()
}

// succeed is finish for an upload that must be stored.
func (u *uploading) succeed() {
	u.peer.t.Helper()
	if reply := u.finish(); len(reply.statuses()) != 1 || !reply.success() {
		u.peer.t.Errorf("upload got %q, want one 2xx", reply.raw)
	}
}
