package server

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"sluice/internal/forwarded"
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
	// secure makes connections speak TLS. It is nil where they don't.
	secure *secure

	mu      sync.Mutex
	places  places
	counts  connCounts
	conns   map[*conn]struct{}
	clients map[netip.Addr]int
	changed chan struct{} // closed, and replaced, when a connection ends
}

// connCounts is what has become of connections since the start.
type connCounts struct{ accepted, beyondTotal, beyondPerClient int64 }

func newListener(ln net.Listener, proxies forwarded.Proxies, head int, secure *secure) (*listener, error) {
	tcp, ok := ln.(*net.TCPListener)
	if !ok {
		return nil, fmt.Errorf("listen: %s is no TCP socket", ln.Addr())
	}
	return &listener{
		TCPListener: tcp,
		proxies:     proxies,
		head:        head,
		turning:     make(chan struct{}, maxTurning),
		secure:      secure,
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
		c := newConn(tcp, l)
		if l.admit(c) {
			return c, nil
		}
		l.turnAway(c)
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
func (l *listener) turnAway(c *conn) {
	select {
	case l.turning <- struct{}{}:
	default:
		_ = c.socket.Close()
		return
	}
	go func() {
		defer func() { <-l.turning }()
		_ = c.socket.SetDeadline(time.Now().Add(turnTime))
		if _, err := io.WriteString(c.Conn, crowded); err == nil && c.closeWrite(true) == nil {
			_, _ = io.CopyN(io.Discard, c.socket, turnBytes)
		}
		_ = c.socket.Close()
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
		_ = c.socket.Close() // its handler sees the error and closes c
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
			_ = c.socket.Close()
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
