package handlers

import (
	"context"
	"errors"
	"io"
	"syscall"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/transfer"
	"sluice/storage"
)

// content is what a download sends.
type content interface {
	// send writes all of it to w.
	send(ctx context.Context, w io.Writer) error
	// Stages tells where the time of send went.
	Stages() storage.Stages
	Close() error
}

// send streams length bytes of content, or an unknown number of them, after the
// handler has returned. The stream closes the content and leaves the crowd.
func (h *Handlers) send(c *fiber.Ctx, content content, name storage.Name, protocol transfer.Protocol, length int64, place place) {
	s := &stream{
		handlers: h,
		brake:    brake{deadline: c.Context().SetWriteDeadline},
		content:  content,
		place:    place,
		status:   c.Response().StatusCode(),
		err:      errLeft, // unless it gets to its end
	}
	s.transfer = h.begin(c, transfer.Download, protocol, name, length, &s.brake)
	c.Context().Response.SetBodyStream(s, bodyLength(length))
}

// bodyLength is a length for fasthttp, which counts in int: where that is too
// small for a file, the answer comes in chunks.
func bodyLength(n int64) int {
	if int64(int(n)) != n {
		return int(storage.UnknownSize)
	}
	return int(n)
}

// stream is a download's body. fasthttp calls WriteTo with a writer that goes
// straight to the socket, and then Close. A body that ends in an error ends the
// connection, so that no client takes it for a whole one.
type stream struct {
	handlers *Handlers
	brake    brake
	content  content
	place    place
	transfer *transfer.Transfer
	status   int
	err      error
}

// WriteTo implements io.WriterTo.
func (s *stream) WriteTo(w io.Writer) (int64, error) {
	h := s.handlers
	out := &paced{
		brake: &s.brake, w: w, add: s.transfer.Add, pulse: pulse{patience: h.limits().patience()},
		throttle: h.out.forOne(s.place.own), until: h.opts.Context,
	}
	s.err = h.Guard(func() error { return s.content.send(h.opts.Context, out) })
	return s.transfer.Bytes(), s.err
}

// SupportsBodyWriteTo implements fasthttp.BodyWriterTo.
func (s *stream) SupportsBodyWriteTo() bool { return true }

// Read would be the slow way. fasthttp's streams are readers, but those that
// have WriteTo are never read.
func (s *stream) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Close ends the transfer.
func (s *stream) Close() error {
	s.brake.end()
	s.place.leave()
	end(s.transfer, s.content.Stages(), s.status, s.err)
	return s.content.Close()
}

// errLeft: the client left before it had all of a download.
var errLeft = errors.New("client left")

// explainWrite finds the cause behind an error of the socket, or of the kernel
// that copies to it from a file.
func explainWrite(err error) error {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.Join(errIdle, err)
	case errors.Is(err, syscall.EIO):
		return err // the disk's
	}
	return errors.Join(errLeft, err)
}
