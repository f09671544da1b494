package loadtest

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"sluice/loadtest/pace"
	"sluice/loadtest/record"
)

// headBuffer is the size of the buffer that answers are parsed from. It is
// small, because what it catches of a body is copied once more.
const headBuffer = 4 << 10

// errAnswered ends the sending of a body whose answer has come already.
var errAnswered = errors.New("answered before the end of the body")

// errCut ends a transfer whose connection the tester has cut.
var errCut = errors.New("connection cut")

// conn is one connection whose reads and writes fail once nothing has moved for
// as long as timeout. One goroutine may write while another reads.
type conn struct {
	net     net.Conn // the socket, or TLS on it
	tcp     *net.TCPConn
	answers *bufio.Reader
	timeout time.Duration
	closing bool            // each request is the last one
	pace    *pace.Bandwidth // of reads and writes
	ctx     context.Context // of waits for it

	// sending is set while a body is being sent: there is no telling then how
	// long its answer takes, so reads have no deadline.
	sending atomic.Bool

	mu       sync.Mutex
	answered bool // the answer is here, so writing must stop
}

// slowBuffer is the receive buffer of the system for connections with a
// bandwidth: with its usual one, megabytes would come at full speed.
const slowBuffer = 64 << 10

// route is how a server is reached.
type route struct {
	address   string
	tls       *tls.Config // nil for plain HTTP
	timeout   time.Duration
	closing   bool // each request is the last one of its connection
	bandwidth *pace.Bandwidth
}

// dial connects, and makes TLS's handshake.
func dial(ctx context.Context, r route) (*conn, error) {
	dialer := net.Dialer{Timeout: r.timeout}
	c, err := dialer.DialContext(ctx, "tcp", r.address)
	if err != nil {
		return nil, failure(record.KindConnect, err, "connect to %s", r.address)
	}
	conn := &conn{net: c, tcp: c.(*net.TCPConn), timeout: r.timeout, closing: r.closing, pace: r.bandwidth, ctx: ctx}
	if r.bandwidth != nil {
		_ = conn.tcp.SetReadBuffer(slowBuffer) // without it reading is less even
	}
	if r.tls != nil {
		if err := conn.secure(ctx, r.tls); err != nil {
			conn.close()
			return nil, failure(record.KindConnect, err, "TLS with %s", r.address)
		}
	}
	conn.answers = bufio.NewReaderSize(conn, headBuffer)
	return conn, nil
}

// secure makes the handshake.
func (c *conn) secure(ctx context.Context, config *tls.Config) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	secured := tls.Client(c.tcp, config)
	c.net = secured
	return secured.HandshakeContext(ctx)
}

// isPlain says that what comes on the socket is what was sent.
func (c *conn) isPlain() bool { return c.net == net.Conn(c.tcp) }

// securePortion is what is written over TLS at a time, in bytes. A write that
// runs out of time can't be gone on with there, so it has to be one that doesn't.
const securePortion = 256 << 10

func (c *conn) close() { _ = c.tcp.Close() }

// Read reads from the socket.
func (c *conn) Read(p []byte) (int, error) {
	if !c.sending.Load() {
		if err := c.armRead(); err != nil {
			return 0, err
		}
	}
	return c.net.Read(p)
}

func (c *conn) armRead() error {
	return c.net.SetReadDeadline(time.Now().Add(c.timeout))
}

// write writes all of p, however long that takes. It fails when nothing moves
// for as long as the timeout, and with errAnswered after stopWriting.
func (c *conn) write(p []byte) (written int, err error) {
	for written < len(p) {
		portion := c.pace.Portion(len(p) - written)
		if !c.isPlain() {
			portion = min(portion, securePortion)
		}
		if err := c.pace.Wait(c.ctx, portion); err != nil {
			return written, err
		}
		if err := c.armWrite(); err != nil {
			return written, err
		}
		n, err := c.net.Write(p[written : written+portion])
		written += n
		if err == nil || n > 0 && isTimeout(err) {
			continue
		}
		if c.stopped() {
			return written, errAnswered
		}
		return written, err
	}
	return written, nil
}

func (c *conn) armWrite() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answered {
		return errAnswered
	}
	return c.net.SetWriteDeadline(time.Now().Add(c.timeout))
}

func (c *conn) stopped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answered
}

// startWriting opens the way for a request with a body.
func (c *conn) startWriting() error {
	c.mu.Lock()
	c.answered = false
	c.mu.Unlock()
	c.sending.Store(true)
	return c.net.SetReadDeadline(time.Time{})
}

// stopWriting wakes a write that is under way and fails those that follow.
func (c *conn) stopWriting() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered = true
	_ = c.net.SetWriteDeadline(time.Unix(1, 0))
}

// awaitAnswer lets the timeout run for the reader, who had none while the body
// was being sent.
func (c *conn) awaitAnswer() {
	c.sending.Store(false)
	_ = c.armRead()
}
