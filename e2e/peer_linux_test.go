package e2e_test

import (
	"fmt"
	"io"
	"net"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// peer is a client that speaks to the server byte by byte.
type peer struct {
	t    testing.TB
	conn *net.TCPConn
}

// dial opens a connection, on which nothing waits for ever.
func dial(t testing.TB, s *server) *peer {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return &peer{t, conn.(*net.TCPConn)}
}

// send writes all pieces, which the server must take.
func (p *peer) send(pieces ...string) *peer {
	p.t.Helper()
	if err := p.try(pieces...); err != nil {
		p.t.Fatal(err)
	}
	return p
}

// try writes all pieces, for requests that the server may refuse before it has
// read them.
func (p *peer) try(pieces ...string) error {
	for _, piece := range pieces {
		if _, err := io.WriteString(p.conn, piece); err != nil {
			return err
		}
	}
	return nil
}

// fin ends the sending side cleanly.
func (p *peer) fin() *peer {
	p.t.Helper()
	if err := p.conn.CloseWrite(); err != nil {
		p.t.Fatal(err)
	}
	return p
}

// rst breaks the connection off.
func (p *peer) rst() {
	p.t.Helper()
	if err := p.conn.SetLinger(0); err != nil {
		p.t.Fatal(err)
	}
	if err := p.conn.Close(); err != nil {
		p.t.Fatal(err)
	}
}

// rest reads until the server closes the connection. A reset ends the answer
// too.
func (p *peer) rest() reply {
	p.t.Helper()
	raw, err := io.ReadAll(p.conn)
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		p.t.Errorf("server keeps the connection open after %q", raw)
	}
	return reply{raw}
}

// head reads one answer's head, up to the empty line.
func (p *peer) head() reply {
	p.t.Helper()
	var raw []byte
	for one := make([]byte, 1); !endOfHead.Match(raw); {
		if _, err := p.conn.Read(one); err != nil {
			p.t.Fatalf("read head of answer after %q: %v", raw, err)
		}
		raw = append(raw, one[0])
	}
	return reply{raw}
}

var (
	endOfHead  = regexp.MustCompile(`\r\n\r\n$`)
	statusLine = regexp.MustCompile(`HTTP/1\.[01] (\d{3}) `)
)

// reply is what came back on a connection.
type reply struct{ raw []byte }

// statuses lists those of all status lines. One may follow right behind the
// content of the answer before.
func (r reply) statuses() []int {
	var found []int
	for _, match := range statusLine.FindAllSubmatch(r.raw, -1) {
		status, _ := strconv.Atoi(string(match[1])) // three digits
		found = append(found, status)
	}
	return found
}

// success reports whether any status is a 2xx.
func (r reply) success() bool {
	for _, status := range r.statuses() {
		if status >= 200 && status < 300 {
			return true
		}
	}
	return false
}

// cut ends the connection in one of the ways in which they end too early.
type cut string

const (
	cutFIN cut = "fin" // half-closed: the client says that no more comes
	cutRST cut = "rst" // broken off
)

var cuts = []cut{cutFIN, cutRST}

// end cuts the connection. Nothing of what comes back may say that all is well.
func (p *peer) end(how cut) {
	p.t.Helper()
	if how == cutRST {
		p.rst()
		return
	}
	if reply := p.fin().rest(); reply.success() {
		p.t.Errorf("a request that was cut short got %q", reply.raw)
	}
}

// requestHead is the head of a request with the given fields.
func requestHead(method, path string, fields ...string) string {
	head := method + " " + path + " HTTP/1.1\r\nHost: sluice\r\n"
	for _, field := range fields {
		head += field + "\r\n"
	}
	return head + "\r\n"
}

// length is the field that declares a body of n bytes.
func length(n int) string { return fmt.Sprintf("Content-Length: %d", n) }

// chunked is the field that declares a body in chunks.
const chunked = "Transfer-Encoding: chunked"
