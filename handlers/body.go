package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"sluice/storage"
)

// Errors of a request's body.
var (
	// errAborted: the client left before the body's end.
	errAborted = errors.New("request body ended early")
	// errIdle: no byte came for the idle timeout.
	errIdle = errors.New("request body stalled")
	// errStopped: the server itself ended the body.
	errStopped = errors.New("request body closed")
	// errBadBody: the body's chunked framing is broken.
	errBadBody = errors.New("malformed request body")
	// ErrTooLarge: the body passes the limit for uploads, or what can be counted.
	ErrTooLarge = errors.New("request body too large")
)

// body reads a request's body from the socket straight into the memory it is
// given. It turns what fasthttp leaves open into errors: a client that left in
// mid-body is never an io.EOF, and silence ends the body, not its duration.
type body struct {
	ctx *fasthttp.RequestCtx
	src io.Reader
	pulse
	brake
	// declared is the Content-Length, or storage.UnknownSize for a chunked body.
	declared int64
	read     int64
	armed    time.Time
	// err is what ended the body before its time, for those who read through a
	// layer that swallows it.
	err error
}

// newBody takes over the body of the request.
func newBody(ctx *fasthttp.RequestCtx, p patience) *body {
	b := &body{ctx: ctx, src: ctx.RequestBodyStream(), pulse: pulse{patience: p}, declared: declaredLength(ctx)}
	b.deadline = ctx.SetReadDeadline
	if b.src == nil {
		b.src = bytes.NewReader(nil)
	}
	return b
}

// declaredLength is the length of the body in bytes, or storage.UnknownSize for
// a chunked one.
func declaredLength(ctx *fasthttp.RequestCtx) int64 {
	switch n := ctx.Request.Header.ContentLength(); {
	case n >= 0:
		return int64(n)
	case n == -1:
		return storage.UnknownSize
	}
	return 0 // neither Content-Length nor Transfer-Encoding: no body
}

// Read implements io.Reader. One goroutine may read while another closes.
func (b *body) Read(p []byte) (int, error) {
	began := time.Now()
	if err := b.rearm(began); err != nil {
		b.err = err
		return 0, err
	}
	n, err := b.src.Read(p)
	b.read += int64(n)
	if slow := b.beat(n, time.Since(began)); slow != nil && err == nil {
		b.err = slow
		return n, slow
	}
	if err == nil || (err == io.EOF && b.complete()) {
		return n, err
	}
	b.err = b.explain(err)
	return n, b.err
}

// complete reports whether all declared bytes came. The end of a chunked body
// is told by its last chunk.
func (b *body) complete() bool {
	return b.declared == storage.UnknownSize || b.read == b.declared
}

// rearmShare is the part of the idle timeout after which the deadline is moved
// on: setting it for every read would cost more than reading.
const rearmShare = 8

// rearm moves the read deadline on as bytes arrive.
func (b *body) rearm(now time.Time) error {
	if now.Sub(b.armed) < b.idle/rearmShare {
		return nil
	}
	b.armed = now
	return b.brake.arm(now.Add(b.idle))
}

// Close ends a Read that runs and all that follow.
func (b *body) Close() error { return b.pull(errStopped) }

// framed is a connection that tells what was wrong with the framing of what came
// on it. Fasthttp doesn't always keep that.
type framed interface{ Fault() error }

// explain finds the cause behind an error of the stream.
func (b *body) explain(err error) error {
	if c, ok := b.ctx.Conn().(framed); ok && c.Fault() != nil {
		return fmt.Errorf("%w: %w", errBadBody, c.Fault())
	}
	cause := b.pulled()
	switch {
	case cause != nil:
		return cause
	case isAny(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w for %s: %w", errIdle, b.idle, err)
	case isAny(err, io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed):
		return fmt.Errorf("%w after %d bytes: %w", errAborted, b.read, err)
	}
	return fmt.Errorf("%w: %w", errBadBody, err)
}

// isAny reports whether one of the causes is behind err. Where a chunk breaks
// off, fasthttp keeps the cause's text alone.
func isAny(err error, causes ...error) bool {
	var broken fasthttp.ErrBrokenChunk
	isBroken := errors.As(err, &broken)
	for _, cause := range causes {
		if errors.Is(err, cause) || isBroken && strings.HasSuffix(broken.Error(), cause.Error()) {
			return true
		}
	}
	return false
}

// limited fails with ErrTooLarge once more than left bytes come. It hands p
// through, but for one byte more than is left.
type limited struct {
	src  io.Reader
	left int64
}

// limit bounds src to n bytes; 0 means no bound.
func limit(src io.Reader, n int64) io.Reader {
	if n == 0 {
		return src
	}
	return &limited{src, n}
}

func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.src.Read(p)
	l.left -= int64(n)
	if l.left < 0 {
		return n - 1, ErrTooLarge
	}
	return n, err
}

// counted reports every read as progress of a transfer.
type counted struct {
	src io.Reader
	add func(n int)
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.add(n)
	return n, err
}
