package handlers

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"sluice/internal/transfer"
	"sluice/storage"
)

// Download answers GET and HEAD of a file, whole or one range of it, and of a
// folder by its listing.
func (h *Handlers) Download(c *fiber.Ctx) error {
	name, err := nameOf(c)
	if err != nil {
		return err
	}
	object, err := h.opts.Store.Open(h.opts.Context, name)
	if errors.Is(err, storage.ErrIsFolder) {
		return h.list(c, name)
	}
	if err != nil {
		return err
	}
	if strings.HasSuffix(c.Path(), "/") {
		h.closeObject(object)
		return storage.ErrNotFound
	}
	if err := h.serve(c, object); err != nil {
		h.closeObject(object)
		return err
	}
	return nil
}

// serve answers with the object, which it closes unless it returns an error.
func (h *Handlers) serve(c *fiber.Ctx, object storage.Object) error {
	info := object.Info()
	setValidators(c, info)
	switch evaluate(func(field string) string { return c.Get(field) }, info) {
	case failed:
		return storage.ErrCondition
	case notModified:
		h.closeObject(object)
		return c.SendStatus(fiber.StatusNotModified)
	}
	setContent(c, info)
	whole := byteRange{0, info.Size}
	if c.Method() == fiber.MethodHead {
		if err := sendHead(c, info.Size); err != nil {
			return err
		}
		h.closeObject(object)
		return nil
	}
	asked, err := askedRange(c, info)
	switch {
	case errors.Is(err, errRange):
		c.Set(fiber.HeaderContentRange, "bytes */"+strconv.FormatInt(info.Size, 10))
		return err
	case err == nil:
		c.Status(fiber.StatusPartialContent)
		c.Set(fiber.HeaderContentRange, asked.contentRange(info.Size))
		return h.send(c, object, asked)
	}
	return h.send(c, object, whole)
}

// askedRange is the range to answer with; errNoRange for the whole content.
func askedRange(c *fiber.Ctx, info storage.Info) (byteRange, error) {
	field := c.Get(fiber.HeaderRange)
	if field == "" || !rangeHolds(c.Get(fiber.HeaderIfRange), info) {
		return byteRange{}, errNoRange
	}
	return parseRange(field, info.Size)
}

func (r byteRange) contentRange(size int64) string {
	return "bytes " + strconv.FormatInt(r.off, 10) + "-" + strconv.FormatInt(r.off+r.n-1, 10) +
		"/" + strconv.FormatInt(size, 10)
}

func setValidators(c *fiber.Ctx, info storage.Info) {
	c.Set(fiber.HeaderETag, etag(info))
	c.Set(fiber.HeaderLastModified, info.ModTime.UTC().Format(http.TimeFormat))
	c.Set(fiber.HeaderAcceptRanges, "bytes")
}

// setContent describes the content. What users have stored must not run in
// the browser of others: types are never sniffed, scripts are sandboxed away,
// and only harmless types are shown rather than saved.
func setContent(c *fiber.Ctx, info storage.Info) {
	kind := mime.TypeByExtension(path.Ext(info.Name.Base()))
	if kind == "" {
		kind = fiber.MIMEOctetStream
	}
	c.Set(fiber.HeaderContentType, kind)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderContentSecurityPolicy, "sandbox; default-src 'none'")
	if !harmless(kind) {
		c.Set(fiber.HeaderContentDisposition, "attachment")
	}
}

// harmless reports whether a browser may show the type by itself.
func harmless(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	if kind == "text/plain" {
		return true
	}
	group, _, _ := strings.Cut(kind, "/")
	return (group == "image" && kind != "image/svg+xml") || group == "audio" || group == "video"
}

// checkLength refuses a body whose length fasthttp can't tell: it counts in ints.
func checkLength(n int64) error {
	if int64(int(n)) != n {
		return errTooLong
	}
	return nil
}

// sendHead answers with the head of a content of n bytes and no body.
func sendHead(c *fiber.Ctx, n int64) error {
	if err := checkLength(n); err != nil {
		return err
	}
	response := &c.Context().Response
	response.SkipBody = true
	response.Header.SetContentLength(int(n))
	return nil
}

// send streams the range after the handler has returned; the stream closes the
// object.
func (h *Handlers) send(c *fiber.Ctx, object storage.Object, r byteRange) error {
	if err := checkLength(r.n); err != nil {
		return err
	}
	leave, err := h.enter(c)
	if err != nil {
		return err
	}
	t := h.begin(c, transfer.Download, transfer.ProtocolGET, object.Info().Name, r.n)
	s := &stream{handlers: h, ctx: c.Context(), object: object, byteRange: r, leave: leave, transfer: t, status: c.Response().StatusCode()}
	c.Context().Response.SetBodyStream(s, int(r.n))
	return nil
}

func (h *Handlers) closeObject(object storage.Object) {
	if err := object.Close(); err != nil {
		h.opts.Log.Error("close file", zap.Error(err))
	}
}

// stream is a download's body. fasthttp calls WriteTo with a writer that goes
// straight to the socket, and then Close.
type stream struct {
	handlers *Handlers
	ctx      *fasthttp.RequestCtx
	object   storage.Object
	byteRange
	leave    func() // gives the place in the crowd back
	transfer *transfer.Transfer
	status   int
	sent     int64
	err      error
}

// WriteTo implements io.WriterTo.
func (s *stream) WriteTo(w io.Writer) (int64, error) {
	h := s.handlers
	out := &paced{
		ctx: s.ctx, w: w, add: s.transfer.Add, pulse: pulse{patience: h.patience},
		throttle: h.out.forOne(), until: h.opts.Context,
	}
	s.err = h.Guard(func() (err error) {
		s.sent, err = s.object.Send(h.opts.Context, out, s.off, s.n)
		return err
	})
	return s.sent, s.err
}

// Read would be the slow way. fasthttp's streams are readers, but those that
// have WriteTo are never read.
func (s *stream) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Close ends the transfer.
func (s *stream) Close() error {
	err := s.err
	if err == nil && s.sent < s.n {
		err = errAborted
	}
	s.leave()
	end(s.transfer, s.object.Stages(), s.status, err)
	return s.object.Close()
}

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
	return errors.Join(errAborted, err)
}
