package server

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// listener is the public TCP listener. It knows its open connections, and its
// connections know how to close without losing an answer.
type listener struct {
	*net.TCPListener
	mu    sync.Mutex
	conns map[*conn]struct{}
}

func listen(addr string) (*listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return &listener{TCPListener: ln.(*net.TCPListener), conns: make(map[*conn]struct{})}, nil
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
		c := &conn{TCPConn: tcp, listener: l}
		l.mu.Lock()
		l.conns[c] = struct{}{}
		l.mu.Unlock()
		return c, nil
	}
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

func (l *listener) forget(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}

// conn is a connection. It embeds *net.TCPConn rather than net.Conn, so that
// ReadFrom (sendfile) and SyscallConn stay reachable.
type conn struct {
	*net.TCPConn
	listener *listener
	// linger is set when an answer was given while the client may still be
	// sending.
	linger atomic.Bool
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
	c.listener.forget(c)
	if c.linger.Load() && c.CloseWrite() == nil {
		_ = c.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.TCPConn, lingerBytes)
	}
	return c.TCPConn.Close()
}
