// Package handlers is the HTTP edge: one file for each way in or out, each of
// which turns a request into calls of the storage contract and its result into
// an answer.
//
// It owns the protocols (raw PUT, forms, tus, downloads, listings, archives), what
// may be refused from a request's head, and the one table from errors to answers. It
// must not know how a store moves bytes, how the server listens, or Prometheus.
//
// Fiber's strings alias memory that the next request reuses: whatever outlives
// a handler is cloned.
package handlers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"sluice/internal/auth"
	"sluice/internal/forwarded"
	"sluice/internal/hooks"
	"sluice/internal/transfer"
	"sluice/storage"
	"sluice/web"
)

// filesPath is where files live in the URL space.
const filesPath = "/files/"

// requestIDKey is the request-local under which the request's id is kept.
const requestIDKey = "request-id"

// Options are what handlers need.
type Options struct {
	Store storage.Store
	// Page is what browsers get.
	Page *web.Page
	// Version is the program's.
	Version string
	// OnConflict is how the store treats uploads whose name is taken, in a word,
	// and Free tells how many bytes it may still take.
	OnConflict string
	Free       func() (bytes int64, known bool)
	Transfers  *transfer.Registry
	Auth       *auth.Authenticator
	Log        *zap.Logger
	// AccessLog asks for a line for each request, also for those that are no
	// transfer.
	AccessLog bool
	// Context ends when running transfers have to be cut off.
	Context context.Context
	// Stopping is closed when the server begins to stop.
	Stopping <-chan struct{}
	Limits   Limits
	// BasePath is where all routes stand below, empty or without a slash at its
	// end.
	BasePath string
	// Proxies are those whose word counts; AbsoluteURLs makes Location a whole
	// URL where they tell its beginning.
	Proxies      forwarded.Proxies
	AbsoluteURLs bool
	// UserHeader is the field in which they name who a request is from; empty is
	// none.
	UserHeader string
	// IETFUploads takes the IETF's draft of resumable uploads beside tus.
	IETFUploads bool
	// Webhook is told of uploads, and Veto asked before they begin; nil is nobody.
	Webhook *hooks.Webhook
	Veto    *hooks.Veto
	// OnLockWait is told of each wait of a tus request for another one on the
	// same upload.
	OnLockWait func()
	// OnProblem is told the reason of each answer that is a problem, one of
	// [Reasons]. Nil is nobody.
	OnProblem func(reason string)
}

// Handlers answers the requests of the public listener.
type Handlers struct {
	opts    Options
	all     storage.Store // as nobody but [Handlers.store] may use it
	locker  tusLocker
	crowd   *crowd
	shares  *shares
	in, out *bandwidth
	// listeners has a place for each open stream of events.
	listeners chan struct{}
	draining  atomic.Bool
	current   atomic.Pointer[bound]
}

// New makes the handlers.
func New(opts Options) (*Handlers, error) {
	all := watch(opts.Store, opts.Webhook)
	opts.Store = nil
	if opts.OnProblem == nil {
		opts.OnProblem = func(string) {}
	}
	h := &Handlers{
		opts:   opts,
		all:    all,
		locker: newTusLocker(opts.OnLockWait),
		crowd:  newCrowd(),
		shares: newShares(),
		in:     new(bandwidth),
		out:    new(bandwidth),

		listeners: make(chan struct{}, maxListeners),
	}
	apply, err := h.Prepare(opts.Limits)
	if err != nil {
		return nil, err
	}
	apply()
	return h, nil
}

// SetRequestID gives the request an id, which its answer and log lines share.
func SetRequestID(c *fiber.Ctx, id string) {
	c.Locals(requestIDKey, id)
	c.Set(fiber.HeaderXRequestID, id)
}

// RequestID returns the request's id.
func RequestID(c *fiber.Ctx) string {
	id, _ := c.Locals(requestIDKey).(string)
	return id
}

// nameOf takes the file's name from the request's path: what stands behind
// /files/, percent-decoded once. The folder of all files may go without its
// slash.
func (h *Handlers) nameOf(c *fiber.Ctx) (storage.Name, error) {
	return nameOfPath(strings.TrimPrefix(string(c.Context().URI().PathOriginal()), h.opts.BasePath))
}

func nameOfPath(path string) (storage.Name, error) {
	raw := strings.TrimPrefix(path, strings.TrimSuffix(filesPath, "/"))
	raw = strings.TrimPrefix(raw, "/")
	path, err := url.PathUnescape(raw)
	if err != nil {
		return storage.Name{}, errors.Join(storage.ErrName, err)
	}
	return storage.ParseName(path)
}

// fileNameOf is nameOf for requests that can only mean a file.
func (h *Handlers) fileNameOf(c *fiber.Ctx) (storage.Name, error) {
	name, err := h.nameOf(c)
	switch {
	case err != nil:
		return name, err
	case name.IsRoot():
		return name, fmt.Errorf("%w: empty", storage.ErrName)
	case strings.HasSuffix(c.Path(), "/"):
		return name, storage.ErrIsFolder
	}
	return name, nil
}

// escape writes a name as it stands in paths.
func escape(name storage.Name) string {
	segments := strings.Split(name.String(), "/")
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	return strings.Join(segments, "/")
}

// maxTrace bounds a trace context, in bytes: today's have 55, later ones may have
// more (W3C Trace Context section 3.2).
const maxTrace = 128

// begin registers a transfer of the request, which the brake can end.
func (h *Handlers) begin(c *fiber.Ctx, d transfer.Direction, p transfer.Protocol, name storage.Name, total int64, b *brake) *transfer.Transfer {
	c.Locals(movesKey, true)
	return h.opts.Transfers.Begin(transfer.Spec{
		Direction: d,
		Protocol:  p,
		Name:      name.String(),
		Client:    h.clientOf(c),
		User:      caller(c).Name,
		RequestID: RequestID(c),
		Trace:     shorten(c.Get("Traceparent"), maxTrace),
		Total:     total,
		Stop:      b.halt,
	})
}

// place is one among the requests that move files, until leave.
type place struct {
	leave func()
	// own bounds the rate of all that the caller moves; nil for no bound.
	own *rate.Limiter
}

// enter takes a place.
func (h *Handlers) enter(c *fiber.Ctx) (place, error) {
	client, who := h.clientOf(c), caller(c)
	if err := h.crowd.join(client); err != nil {
		return place{}, err
	}
	own := h.shares.join(who.Name, who.Rate)
	return place{own: own, leave: func() {
		h.crowd.leave(client)
		if own != nil {
			h.shares.leave(who.Name)
		}
	}}, nil
}

// meter makes the progress of an upload show, and bounds its rate.
func (h *Handlers) meter(src io.Reader, t *transfer.Transfer, p place) io.Reader {
	return counted{throttled{h.opts.Context, src, h.in.forOne(p.own)}, t.Add}
}

// stored is how an answer tells of a file that has been stored.
type stored struct {
	Name   string `json:"name"`
	URL    string `json:"url"`
	Size   int64  `json:"size"`
	Digest string `json:"digest"`
}

func newStored(l links, info storage.Info, checked []storage.Digest) stored {
	return stored{
		Name:   info.Name.String(),
		URL:    l.path(info),
		Size:   info.Size,
		Digest: digestField(info, checked),
	}
}
