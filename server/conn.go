package server

import (
	"bytes"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"sluice/handlers"
	"sluice/internal/framing"
)

// conn is a connection. What it reads are well-framed requests; it knows how to
// close without losing an answer.
type conn struct {
	net.Conn // the socket, or TLS on it
	socket   *net.TCPConn
	tls      *secureConn // nil on a plain connection
	listener *listener
	client   netip.Addr
	// requests is what comes on the connection, as far as it is well framed.
	requests *framing.Reader
	// asked is set once a request has begun.
	asked atomic.Bool
	// linger is set from the beginning of a request until all of it has been
	// read and answered: the client may still be sending.
	linger atomic.Bool
	// unasked is set when fasthttp is about to send a "100 Continue" that the
	// client didn't ask for.
	unasked bool
	water   lowWater
}

func newConn(socket *net.TCPConn, l *listener) *conn {
	c := &conn{Conn: socket, socket: socket, listener: l, client: handlers.AddrOf(socket.RemoteAddr())}
	if l.secure != nil {
		c.tls = l.secure.server(socket)
		c.Conn = c.tls
	}
	c.requests = framing.NewReader(c.Conn, l.head)
	c.water.socket, c.water.counting.within = socket, fastTime
	return c
}

// Read implements net.Conn. It hands p through to the socket, or to TLS.
func (c *conn) Read(p []byte) (int, error) {
	if c.tls != nil && !c.tls.ready {
		if !c.handshake() {
			return 0, io.EOF
		}
	}
	left := c.requests.Left()
	c.water.before(left)
	n, err := c.requests.Read(p)
	c.water.after(left, n)
	return n, err
}

// Fault is what was wrong with the framing of what came, nil so far.
func (c *conn) Fault() error { return c.requests.Fault() }

// Trailer is a field behind the chunked body that was read last.
func (c *conn) Trailer(name string) string { return c.requests.Trailer(name) }

// Secure reports whether the connection speaks TLS.
func (c *conn) Secure() bool { return c.tls != nil }

// interim is how fasthttp asks for a body.
var interim = []byte("HTTP/1.1 100 Continue\r\n\r\n")

// Write implements net.Conn. It keeps an unasked "100 Continue" to itself.
func (c *conn) Write(p []byte) (int, error) {
	if before, found := bytes.CutSuffix(p, interim); c.unasked && found {
		c.unasked = false
		n, err := c.Conn.Write(before)
		if err != nil {
			return n, err
		}
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// ReadFrom implements io.ReaderFrom: on a plain connection the kernel copies
// from a file (sendfile).
func (c *conn) ReadFrom(src io.Reader) (int64, error) {
	return c.Conn.(io.ReaderFrom).ReadFrom(src)
}

// mark follows what fasthttp does with the connection.
func (c *conn) mark(state fasthttp.ConnState) {
	switch state {
	case fasthttp.StateActive:
		c.asked.Store(true)
		c.linger.Store(true)
	case fasthttp.StateIdle:
		c.linger.Store(false)
	}
}

const (
	// lingerTime and lingerBytes bound how long and how much is read from a
	// client after its answer.
	lingerTime  = 5 * time.Second
	lingerBytes = 64 << 20
)

// Close implements net.Conn. Closing a socket with unread bytes makes the
// kernel send a reset, which can overtake the answer. So with linger set, only
// the sending side is closed at first, and what still comes is read for a
// bounded time and amount (RFC 9112 section 9.6). With TLS it isn't even
// decrypted.
func (c *conn) Close() error {
	defer c.listener.forget(c)
	c.water.lower()
	linger := c.linger.Load()
	if c.closeWrite(linger) == nil && linger {
		_ = c.socket.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.socket, lingerBytes)
	}
	return c.socket.Close()
}

// closeWrite tells the client that nothing more will come. TLS says so itself,
// so that an end can be told from a cut (RFC 8446 section 6.1); the socket does
// in any case when it is closed.
func (c *conn) closeWrite(socketToo bool) error {
	if c.tls != nil {
		_ = c.tls.CloseWrite() // it does nothing before the handshake
	}
	if socketToo {
		return c.socket.CloseWrite()
	}
	return nil
}
