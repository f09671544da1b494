package handlers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"sluice/internal/transfer"
	"sluice/storage"
)

// Download answers GET and HEAD of a file, whole or in ranges, and of a folder
// by its listing or as an archive.
func (h *Handlers) Download(c *fiber.Ctx) error {
	shield(c)
	// What is stored may change at any time, so whoever keeps a copy has to ask.
	// What not everybody may have is nobody's else to keep.
	c.Set(fiber.HeaderCacheControl, "no-cache")
	if !caller(c).IsAnonymous() {
		c.Set(fiber.HeaderCacheControl, "private, no-cache")
	}
	name, err := h.nameOf(c)
	if err != nil {
		return err
	}
	object, err := h.store(c).Open(h.opts.Context, name)
	if errors.Is(err, storage.ErrIsFolder) {
		return h.downloadFolder(c, name)
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
	p := planOf(c.Method(), fieldOf(c), info)
	switch p.status {
	case fiber.StatusPreconditionFailed:
		return storage.ErrCondition
	case fiber.StatusRequestedRangeNotSatisfiable:
		c.Set(fiber.HeaderContentRange, unsatisfiedRange(info.Size))
		return errRange
	case fiber.StatusNotModified:
		h.closeObject(object)
		c.Status(p.status)
		return nil
	}
	if c.Method() == fiber.MethodHead {
		h.closeObject(object)
		setContent(c, info, p)
		return sendHead(c, info.Size)
	}
	place, err := h.enter(c)
	if err != nil {
		return err
	}
	if err := h.use(c); err != nil {
		place.leave()
		return err
	}
	setContent(c, info, p)
	f := newFile(object, p)
	if f.parts != nil {
		c.Set(fiber.HeaderContentType, f.parts.contentType())
	} else if p.status == fiber.StatusPartialContent {
		c.Set(fiber.HeaderContentRange, f.contentRange(info.Size))
	}
	h.send(c, f, info.Name, transfer.ProtocolGET, f.length(), place)
	return nil
}

func setValidators(c *fiber.Ctx, info storage.Info) {
	c.Set(fiber.HeaderETag, etag(info))
	modified := info.ModTime
	if now := time.Now(); modified.After(now) {
		modified = now // no answer may tell of the future (RFC 9110 section 8.8.2.1)
	}
	c.Set(fiber.HeaderLastModified, modified.UTC().Format(http.TimeFormat))
	c.Set(fiber.HeaderAcceptRanges, "bytes")
}

// setContent describes the content of a 200 or 206.
func setContent(c *fiber.Ctx, info storage.Info, p plan) {
	kind := mediaTypeOf(info.Name.Base())
	c.Status(p.status)
	c.Set(fiber.HeaderContentType, kind)
	c.Set(fiber.HeaderContentDisposition, disposition(dispositionOf(kind), info.Name.Base()))
	setDigests(c, info, p.status == fiber.StatusOK && c.Method() == fiber.MethodGet)
}

// sendHead answers with the head of a content of n bytes, or of unknown size,
// and no body.
func sendHead(c *fiber.Ctx, n int64) error {
	response := &c.Context().Response
	response.SkipBody = true
	response.Header.SetContentLength(bodyLength(n))
	return nil
}

func (h *Handlers) closeObject(object storage.Object) {
	if err := object.Close(); err != nil {
		h.opts.Log.Error("close file", zap.Error(err))
	}
}

// file is a download's content: one range of a file, or several in parts.
type file struct {
	storage.Object
	byteRange
	parts *byteranges // nil for one range
}

func newFile(object storage.Object, p plan) *file {
	info := object.Info()
	switch len(p.ranges) {
	case 0:
		return &file{Object: object, byteRange: byteRange{0, info.Size}}
	case 1:
		return &file{Object: object, byteRange: p.ranges[0]}
	}
	parts := newByteranges(mediaTypeOf(info.Name.Base()), info.Size, p.ranges)
	return &file{Object: object, parts: &parts}
}

// length is that of the answer's content, in bytes.
func (f *file) length() int64 {
	if f.parts != nil {
		return f.parts.length()
	}
	return f.n
}

// send implements content.
func (f *file) send(ctx context.Context, w io.Writer) error {
	one := func(r byteRange) error {
		_, err := f.Send(ctx, w, r.off, r.n)
		return err
	}
	if f.parts != nil {
		return f.parts.write(w, one)
	}
	return one(f.byteRange)
}
