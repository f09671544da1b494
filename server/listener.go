package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"sluice/handlers"
	"sluice/internal/forwarded"
	"sluice/internal/framing"
)

// places bounds the open connections, in all and of each address but those of
// proxies, 0 being no bound. Of a connection no more is known than its other end:
// what a proxy tells of clients comes with each request.
type places struct{ total, perClient int }

// listener is the public TCP listener. It knows its open connections, and its
// connections know how to close without losing an answer.
type listener struct {
	*net.TCPListener
	proxies forwarded.Proxies
	head    int // largest head of a request, in bytes
	// turning is a place for each connection that is being turned away.
	turning chan struct{}

	mu      sync.Mutex
	places  places
	counts  connCounts
	conns   map[*conn]struct{}
	clients map[netip.Addr]int
	changed chan struct{} // closed, and replaced, when a connection ends
}

// connCounts is what has become of connections since the start.
type connCounts struct{ accepted, beyondTotal, beyondPerClient int64 }

func newListener(ln net.Listener, proxies forwarded.Proxies, head int) (*listener, error) {
	tcp, ok := ln.(*net.TCPListener)
	if !ok {
		return nil, fmt.Errorf("listen: %s is no TCP socket", ln.Addr())
	}
	return &listener{
		TCPListener: tcp,
		proxies:     proxies,
		head:        head,
		turning:     make(chan struct{}, maxTurning),
		conns:       make(map[*conn]struct{}),
		clients:     make(map[netip.Addr]int),
		changed:     make(chan struct{}),
	}, nil
}

// acceptPause is how long Accept waits while the process is out of file
// descriptors.
const acceptPause = 50 * time.Millisecond

// Accept implements net.Listener. A lack of descriptors passes; it must not end
// the server.
func (l *listener) Accept() (net.Conn, error) {
	for {
		tcp, err := l.AcceptTCP()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			time.Sleep(acceptPause)
			continue
		}
		if err != nil {
			return nil, err
		}
		c := &conn{
			TCPConn:  tcp,
			listener: l,
			client:   handlers.AddrOf(tcp.RemoteAddr()),
			requests: framing.NewReader(tcp, l.head),
		}
		if l.admit(c) {
			return c, nil
		}
		l.turnAway(tcp)
	}
}

// resize changes the bounds on connections. Those that are open stay.
func (l *listener) resize(p places) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.places = p
}

// admit counts the connection, and lets it in if there is a place for it.
func (l *listener) admit(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.places.total > 0 && len(l.conns) >= l.places.total:
		l.counts.beyondTotal++
		return false
	case l.places.perClient > 0 && l.clients[c.client] >= l.places.perClient && !l.proxies.Trusts(c.client):
		l.counts.beyondPerClient++
		return false
	}
	l.counts.accepted++
	l.conns[c] = struct{}{}
	l.clients[c.client]++
	return true
}

// stats tells how many connections are open, how many may be, 0 being no bound,
// and what has become of all.
func (l *listener) stats() (open, limit int, counts connCounts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.conns), l.places.total, l.counts
}

const (
	// maxTurning bounds the connections that are told why they are turned away;
	// beyond it they are just closed.
	maxTurning = 64
	turnTime   = time.Second
	turnBytes  = 64 << 10
)

// crowded is the whole answer to a connection for which there is no place.
const crowded = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n" +
	"Retry-After: 5\r\nConnection: close\r\nContent-Length: 109\r\n\r\n" +
	`{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"Too many connections. Try again."}`

// turnAway says why and closes, without keeping Accept waiting.
func (l *listener) turnAway(c *net.TCPConn) {
	select {
	case l.turning <- struct{}{}:
	default:
		_ = c.Close()
		return
	}
	go func() {
		defer func() { <-l.turning }()
		_ = c.SetDeadline(time.Now().Add(turnTime))
		if _, err := io.WriteString(c, crowded); err == nil && c.CloseWrite() == nil {
			_, _ = io.CopyN(io.Discard, c, turnBytes)
		}
		_ = c.Close()
	}()
}

// closeConns cuts all open connections and returns how many there were.
func (l *listener) closeConns() int {
	l.mu.Lock()
	open := make([]*conn, 0, len(l.conns))
	for c := range l.conns {
		open = append(open, c)
	}
	l.mu.Unlock()
	for _, c := range open {
		c.linger.Store(false)
		_ = c.TCPConn.Close() // its handler sees the error and closes c
	}
	return len(open)
}

// closeSilent closes the connections that have never asked anything, which
// would otherwise be taken for ones about to.
func (l *listener) closeSilent() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		if !c.asked.Load() {
			_ = c.TCPConn.Close()
		}
	}
}

// wait returns once no connection is open any more: their handlers have put
// away what they had in hand. It fails when that takes too long.
func (l *listener) wait(patience time.Duration) error {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		l.mu.Lock()
		open, changed := len(l.conns), l.changed
		l.mu.Unlock()
		if open == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-timeout.C:
			return fmt.Errorf("%d connections did not end in %s", open, patience)
		}
	}
}

func (l *listener) forget(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, open := l.conns[c]; !open {
		return
	}
	delete(l.conns, c)
	close(l.changed)
	l.changed = make(chan struct{})
	if l.clients[c.client]--; l.clients[c.client] == 0 {
		delete(l.clients, c.client)
	}
}

// conn is a connection. It embeds *net.TCPConn rather than net.Conn, so that
// ReadFrom (sendfile) and SyscallConn stay reachable.
type conn struct {
	*net.TCPConn
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
}

// Read implements net.Conn. It hands p through to the socket.
func (c *conn) Read(p []byte) (int, error) { return c.requests.Read(p) }

// Fault is what was wrong with the framing of what came, nil so far.
func (c *conn) Fault() error { return c.requests.Fault() }

// Trailer is a field behind the chunked body that was read last.
func (c *conn) Trailer(name string) string { return c.requests.Trailer(name) }

// interim is how fasthttp asks for a body.
var interim = []byte("HTTP/1.1 100 Continue\r\n\r\n")

// Write implements net.Conn. It keeps an unasked "100 Continue" to itself.
func (c *conn) Write(p []byte) (int, error) {
	if before, found := bytes.CutSuffix(p, interim); c.unasked && found {
		c.unasked = false
		n, err := c.TCPConn.Write(before)
		if err != nil {
			return n, err
		}
		return len(p), nil
	}
	return c.TCPConn.Write(p)
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
// bounded time and amount (RFC 9112 section 9.6).
func (c *conn) Close() error {
	defer c.listener.forget(c)
	if c.linger.Load() && c.CloseWrite() == nil {
		_ = c.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.TCPConn, lingerBytes)
	}
	return c.TCPConn.Close()
}
