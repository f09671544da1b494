package handlers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/tus/tusd/v2/pkg/handler"
	"github.com/tus/tusd/v2/pkg/memorylocker"
	"golang.org/x/exp/slog"

	"sluice/internal/transfer"
	"sluice/storage"
)

const (
	// tusPath is where uploads are created.
	tusPath = "/tus/"
	// tusVersion is the protocol's.
	tusVersion = "1.0.0"
	// lockTimeout is how long a request waits for another one on the same
	// upload to let go of it.
	lockTimeout = 10 * time.Second
	// afterlife is how long tusd keeps a request's context once the request has
	// ended. Everything is done by then, and each context costs a goroutine.
	afterlife = time.Second
)

// tusHandler speaks tus 1.0 (https://tus.io/protocols/resumable-upload).
type tusHandler struct {
	handlers *Handlers
	protocol http.Handler
}

func newTusHandler(h *Handlers) (*tusHandler, error) {
	composer := handler.NewStoreComposer()
	tusStore{h}.useIn(composer)
	memorylocker.New().UseIn(composer)
	protocol, err := handler.NewHandler(handler.Config{
		StoreComposer:   composer,
		BasePath:        tusPath,
		MaxSize:         h.opts.MaxUploadSize,
		DisableDownload: true,
		// Which origins may upload is decided for all routes alike.
		Cors:                             &handler.CorsConfig{Disable: true},
		PreFinishResponseCallback:        announce,
		GracefulRequestCompletionTimeout: afterlife,
		AcquireLockTimeout:               lockTimeout,
		NetworkTimeout:                   h.opts.IdleTimeout,
		// Every request and transfer has its own line in our log.
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		return nil, err
	}
	return &tusHandler{h, protocol}, nil
}

// CheckTus refuses an upload that can be refused from the head of the POST that
// would create it.
func (h *Handlers) CheckTus(c *fiber.Ctx) error { return inTus(c, h.checkTus(c)) }

// CheckPatch refuses a piece of an upload that can be refused from the head of
// its PATCH.
func (h *Handlers) CheckPatch(c *fiber.Ctx) error { return inTus(c, h.checkPatch(c)) }

// inTus makes the answer to err one of the protocol's.
func inTus(c *fiber.Ctx, err error) error {
	if err == nil {
		return nil
	}
	c.Set("Tus-Resumable", tusVersion)
	if errors.As(err, new(tusError)) && problemOf(err).Status == http.StatusPreconditionFailed {
		c.Set("Tus-Version", tusVersion)
	}
	return err
}

func (h *Handlers) checkPatch(c *fiber.Ctx) error {
	if c.Get("Tus-Resumable") != tusVersion {
		return tusErrorOf(handler.ErrUnsupportedVersion)
	}
	if c.Get(fiber.HeaderContentType) != "application/offset+octet-stream" {
		return tusErrorOf(handler.ErrInvalidContentType)
	}
	offset, err := strconv.ParseInt(c.Get("Upload-Offset"), 10, 64)
	if err != nil || offset < 0 {
		return tusErrorOf(handler.ErrInvalidOffset)
	}
	upload, err := h.opts.Store.Resume(h.opts.Context, strings.TrimPrefix(c.Path(), tusPath))
	if err != nil {
		return err
	}
	if upload.Info().Offset != offset {
		return tusErrorOf(handler.ErrMismatchOffset)
	}
	return h.crowd.check(clientOf(c))
}

func (h *Handlers) checkTus(c *fiber.Ctx) error {
	metadata := handler.ParseMetadataHeader(c.Get("Upload-Metadata"))
	if filename := metadata["filename"]; filename != "" {
		name, err := storage.ParseFileName(filename)
		if err != nil {
			return err
		}
		if err := h.opts.Store.Check(name, nil); err != nil {
			return err
		}
	}
	size, err := strconv.ParseInt(c.Get("Upload-Length"), 10, 64)
	if err != nil {
		size = storage.UnknownSize // or one that the protocol itself refuses
	}
	return h.checkSize(size)
}

// Tus answers every request below /tus/.
func (h *Handlers) Tus(c *fiber.Ctx) error {
	src := newBody(c.Context(), h.patience)
	var leave func()
	call := &tusCall{
		drops: c.Method() == fiber.MethodDelete,
		begin: func(name storage.Name, total int64) (_ *transfer.Transfer, err error) {
			if leave, err = h.enter(c); err != nil {
				return nil, err
			}
			return h.begin(c, transfer.Upload, transfer.ProtocolTus, name, total), nil
		},
	}
	ctx := context.WithValue(h.opts.Context, tusCallKey{}, call)
	answer, err := bridge(ctx, c, tusPath, src, h.tus.protocol)
	if err == nil {
		makeRelative(answer.header)
		err = call.failure(answer, src)
	}
	if call.transfer != nil {
		leave()
		status := 0
		if answer != nil {
			status = answer.status
		}
		end(call.transfer, call.upload.Stages(), status, err)
	}
	if err != nil {
		if answer != nil {
			answer.copyHeader(c)
		}
		return err
	}
	return answer.copyTo(c)
}

// tusCall is what one tus request and the store behind tusd tell each other,
// by way of the request's context.
type tusCall struct {
	// drops tells that the request removes the upload.
	drops bool
	// begin registers the transfer, if there is a place for it.
	begin     func(name storage.Name, total int64) (*transfer.Transfer, error)
	transfer  *transfer.Transfer
	upload    storage.Resumable // where transfer is set
	published *storage.Published
	// err is the store's own error, which tusd only sees as an answer.
	err error
}

type tusCallKey struct{}

func tusCallOf(ctx context.Context) *tusCall {
	call, _ := ctx.Value(tusCallKey{}).(*tusCall)
	return call
}

// failure finds the error behind an answer: the store's, else the body's, else
// what tusd says about the protocol.
func (call *tusCall) failure(answer *bridged, src *body) error {
	switch {
	case answer.status < http.StatusBadRequest:
		return nil
	case call.err != nil:
		return call.err
	case src.err != nil:
		return src.err
	}
	return newTusError(answer)
}

// tusError is a refusal by the protocol. Its text is tusd's own, written for
// clients.
type tusError struct {
	status int
	code   string
	detail string
}

// newTusError reads tusd's "CODE: text" answer.
func newTusError(answer *bridged) tusError {
	e := tusError{status: answer.status, detail: strings.TrimSpace(answer.text.String())}
	if code, text, ok := strings.Cut(e.detail, ": "); ok && strings.HasPrefix(code, "ERR_") {
		e.code, e.detail = code, text
	}
	e.correct()
	for _, field := range []string{fiber.HeaderContentLength, fiber.HeaderContentType} {
		answer.header.Del(field)
	}
	if e.status == http.StatusPreconditionFailed {
		// The protocol wants the versions told (tus 1.0, "Tus-Version").
		answer.header.Set("Tus-Version", tusVersion)
	}
	return e
}

// tusErrorOf is the refusal that tusd would give.
func tusErrorOf(err handler.Error) tusError {
	e := tusError{err.HTTPResponse.StatusCode, err.ErrorCode, err.Message}
	e.correct()
	return e
}

// correct gives a wrong type of content the protocol's status, where tusd says 400.
func (e *tusError) correct() {
	if e.code == handler.ErrInvalidContentType.ErrorCode {
		e.status = http.StatusUnsupportedMediaType
	}
}

func (e tusError) Error() string { return "tus: " + e.code + ": " + e.detail }

// makeRelative cuts scheme and host off Location, which tusd takes from the
// request: a path is right behind every proxy (RFC 9110 section 10.2.2).
func makeRelative(header http.Header) {
	location := header.Get(fiber.HeaderLocation)
	if u, err := url.Parse(location); err == nil && location != "" {
		header.Set(fiber.HeaderLocation, u.EscapedPath())
	}
}

// announce adds to the answer that completes an upload where the file is and
// what it holds.
func announce(event handler.HookEvent) (handler.HTTPResponse, error) {
	call := tusCallOf(event.Context)
	if call == nil || call.published == nil {
		return handler.HTTPResponse{}, nil
	}
	info := call.published.Info
	return handler.HTTPResponse{Header: handler.HTTPHeader{
		fiber.HeaderContentLocation: urlOf(info),
		fiber.HeaderETag:            etag(info),
		"Repr-Digest":               info.Digest.String(),
	}}, nil
}
