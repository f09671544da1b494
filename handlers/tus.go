package handlers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/tus/tusd/v2/pkg/handler"

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

func newTusHandler(h *Handlers, l Limits) (*tusHandler, error) {
	composer := handler.NewStoreComposer()
	tusStore{h}.useIn(composer)
	composer.UseLocker(h.locker)
	protocol, err := handler.NewHandler(handler.Config{
		StoreComposer: composer,
		BasePath:      h.opts.BasePath + tusPath,
		// Its size limit holds for tus alone; the draft's is in checkDraftCreation.
		EnableExperimentalProtocol: h.opts.IETFUploads,
		MaxSize:                    l.MaxUploadSize,
		DisableDownload:            true,
		// Which origins may upload is decided for all routes alike.
		Cors:                             &handler.CorsConfig{Disable: true},
		PreFinishResponseCallback:        announce,
		GracefulRequestCompletionTimeout: afterlife,
		AcquireLockTimeout:               lockTimeout,
		NetworkTimeout:                   l.IdleTimeout,
		Logger:                           newTusLog(h.opts.Log),
	})
	if err != nil {
		return nil, err
	}
	return &tusHandler{h, protocol}, nil
}

// Tus answers every request below /tus/ but for GET.
func (h *Handlers) Tus(c *fiber.Ctx) error {
	piece, err := pieceOf(c)
	if err != nil {
		return err
	}
	h.plainParts(c)
	bound := h.current.Load()
	src := newBody(c.Context(), bound.patience())
	defer src.end()
	call := &tusCall{
		store: h.store(c),
		links: h.links(c),
		src:   src,
		drops: tusMethod(c) == fiber.MethodDelete,
		piece: piece,
	}
	call.begin = func(name storage.Name, total int64) (_ *transfer.Transfer, err error) {
		if call.place, err = h.enter(c); err != nil {
			return nil, err
		}
		return h.begin(c, transfer.Upload, transfer.ProtocolTus, name, total, &src.brake), nil
	}
	ctx := context.WithValue(h.origin(c, transfer.ProtocolTus), tusCallKey{}, call)
	var answer *bridged
	err = h.Guard(func() (err error) {
		answer, err = bridge(ctx, c, h.opts.BasePath+tusPath, src, bound.tus.protocol, func(header http.Header) { h.inform(c, header) })
		return err
	})
	if err == nil {
		h.amend(c, answer.header, call)
		err = call.failure(answer)
	}
	if call.transfer != nil {
		call.place.leave()
		status := 0
		if answer != nil {
			status = answer.status
		}
		end(call.transfer, call.resumable.Stages(), status, err)
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
	store permitted
	links links
	src   *body
	// drops tells that the request removes the upload.
	drops bool
	// begin registers the transfer, if there is a place for it.
	begin     func(name storage.Name, total int64) (*transfer.Transfer, error)
	transfer  *transfer.Transfer
	place     place
	piece     storage.Piece     // without its offset
	resumable storage.Resumable // the upload, once it was found or created
	published *storage.Published
	// err is the store's own error, which tusd only sees as an answer.
	err error
}

// isWhole tells whether all of the upload has come.
func (call *tusCall) isWhole() bool {
	info := call.resumable.Info()
	return call.published != nil || info.Finished || info.Offset == info.Size
}

// bound keeps a piece within what the caller may upload: tusd knows nothing but
// the limit for all.
func (call *tusCall) bound(src io.Reader, offset int64) io.Reader {
	if call.store.maxSize == 0 {
		return src
	}
	return &limited{src, max(call.store.maxSize-offset, 0)}
}

// publishing tells that what has come is about to get its name.
func (call *tusCall) publishing() {
	if call != nil && call.transfer != nil {
		call.transfer.SetPhase(transfer.PhasePublishing)
	}
}

type tusCallKey struct{}

func tusCallOf(ctx context.Context) *tusCall {
	call, _ := ctx.Value(tusCallKey{}).(*tusCall)
	return call
}

// failure finds the error behind an answer: the store's, else the body's, else
// what tusd says about the protocol.
func (call *tusCall) failure(answer *bridged) error {
	src := call.src
	switch {
	case answer.status < http.StatusBadRequest:
		return nil
	case errors.Is(call.err, storage.ErrDigest):
		return fmt.Errorf("%w: %w", errChecksum, call.err)
	case call.err != nil:
		return call.err
	case errors.Is(src.err, errIdle), errors.Is(src.err, errSlow):
		return fmt.Errorf("%w: %w", errPaused, src.err)
	case src.err != nil:
		return src.err
	}
	return newTusError(answer)
}

// errPaused: data came too slowly, which a resumable upload can bear. Clients go
// on after a 5xx and give up after a 408.
var errPaused = errors.New("upload paused")

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

// announce adds to the answer that completes an upload where the file is and
// what it holds.
func announce(event handler.HookEvent) (handler.HTTPResponse, error) {
	call := tusCallOf(event.Context)
	if call == nil || call.published == nil {
		return handler.HTTPResponse{}, nil
	}
	info := call.published.Info
	return handler.HTTPResponse{Header: handler.HTTPHeader{
		fiber.HeaderContentLocation: call.links.url(info),
		fiber.HeaderETag:            etag(info),
		reprDigest:                  digestField(info, nil),
	}}, nil
}
