package loadtest

import (
	"bufio"
	"context"
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

// conn is one TCP connection whose reads and writes fail once nothing has moved
// for as long as timeout. One goroutine may write while another reads.
type conn struct {
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

// dial connects to address.
func dial(ctx context.Context, address string, timeout time.Duration, closing bool, bandwidth *pace.Bandwidth) (*conn, error) {
	dialer := net.Dialer{Timeout: timeout}
	c, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, failure(record.KindConnect, err, "connect to %s", address)
	}
	conn := &conn{tcp: c.(*net.TCPConn), timeout: timeout, closing: closing, pace: bandwidth, ctx: ctx}
	if bandwidth != nil {
		_ = conn.tcp.SetReadBuffer(slowBuffer) // without it reading is less even
	}
	conn.answers = bufio.NewReaderSize(conn, headBuffer)
	return conn, nil
}

func (c *conn) close() { _ = c.tcp.Close() }

// Read reads from the socket.
func (c *conn) Read(p []byte) (int, error) {
	if !c.sending.Load() {
		if err := c.armRead(); err != nil {
			return 0, err
		}
	}
	return c.tcp.Read(p)
}

func (c *conn) armRead() error {
	return c.tcp.SetReadDeadline(time.Now().Add(c.timeout))
}

// write writes all of p, however long that takes. It fails when nothing moves
// for as long as the timeout, and with errAnswered after stopWriting.
func (c *conn) write(p []byte) (written int, err error) {
	for written < len(p) {
		portion := c.pace.Portion(len(p) - written)
		if err := c.pace.Wait(c.ctx, portion); err != nil {
			return written, err
		}
		if err := c.armWrite(); err != nil {
			return written, err
		}
		n, err := c.tcp.Write(p[written : written+portion])
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
	return c.tcp.SetWriteDeadline(time.Now().Add(c.timeout))
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
	return c.tcp.SetReadDeadline(time.Time{})
}

// stopWriting wakes a write that is under way and fails those that follow.
func (c *conn) stopWriting() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered = true
	_ = c.tcp.SetWriteDeadline(time.Unix(1, 0))
}

// awaitAnswer lets the timeout run for the reader, who had none while the body
// was being sent.
func (c *conn) awaitAnswer() {
	c.sending.Store(false)
	_ = c.armRead()
}
