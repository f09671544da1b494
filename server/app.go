package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"sluice/config"
	"sluice/handlers"
)

// app is the public HTTP server: fiber on fasthttp, set up so that bodies
// stream.
type app struct {
	fiber    *fiber.App
	handlers *handlers.Handlers
	log      *zap.Logger
	idle     time.Duration
}

func newApp(cfg config.Config, log *zap.Logger, h *handlers.Handlers) *app {
	a := &app{handlers: h, log: log, idle: cfg.IdleTimeout}
	a.fiber = fiber.New(fiber.Config{
		StreamRequestBody: true,
		// Else forms would go to temporary files before any handler runs.
		DisablePreParseMultipartForm: true,
		// With streaming this is no limit but how much of a body is read before
		// the handler runs: as little as can be asked for, so that the handler
		// can refuse at once and the rest goes straight into its memory.
		BodyLimit:             1,
		ReadBufferSize:        int(cfg.MaxHeaderSize),
		ReadTimeout:           cfg.HeaderTimeout,
		IdleTimeout:           cfg.KeepAliveTimeout,
		CaseSensitive:         true,
		StrictRouting:         true,
		DisableStartupMessage: true,
		ErrorHandler:          h.Fail,
	})
	a.fiber.Use(a.around)
	for _, r := range routes(h) {
		r.register(a.fiber)
	}
	a.tune(a.fiber.Server())
	return a
}

// tune sets what fiber has no setting for.
func (a *app) tune(s *fasthttp.Server) {
	routed := a.fiber.Handler()
	handle := func(ctx *fasthttp.RequestCtx) {
		// Fiber would answer a method that it doesn't know in its own words.
		if !slices.Contains(fiber.DefaultMethods, string(ctx.Method())) {
			a.refuse(ctx, fiber.ErrNotImplemented)
			return
		}
		routed(ctx)
	}
	s.Handler = handle
	s.ExpectHandler = func(ctx *fasthttp.RequestCtx) int { return expect(ctx, handle) }
	s.ErrorHandler = func(ctx *fasthttp.RequestCtx, err error) { a.refuse(ctx, parseProblem(err)) }
	s.CloseOnShutdown = true
	s.ConnState = func(c net.Conn, state fasthttp.ConnState) {
		if c, ok := c.(*conn); ok && state == fasthttp.StateActive {
			c.asked.Store(true)
		}
	}
	s.NoDefaultContentType = true
	// Once the head is there, the body has its own, longer patience.
	s.HeaderReceived = func(*fasthttp.RequestHeader) fasthttp.RequestConfig {
		return fasthttp.RequestConfig{ReadTimeout: a.idle}
	}
}

func (a *app) serve(ln net.Listener) error {
	if err := ignoreClosed(a.fiber.Listener(ln)); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

func (a *app) shutdown(ctx context.Context) error {
	return ignoreClosed(a.fiber.ShutdownWithContext(ctx))
}

// around wraps every request: an id, an answer whatever happens, and a
// connection that closes so that the answer arrives.
func (a *app) around(c *fiber.Ctx) error {
	if handlers.RequestID(c) == "" {
		handlers.SetRequestID(c, newRequestID())
	}
	if err := a.handlers.Guard(c.Next); err != nil {
		if err := a.handlers.Fail(c, err); err != nil {
			return err
		}
	}
	settle(c.Context())
	return c.Context().SetWriteDeadline(time.Now().Add(a.idle))
}

// drained is how much of an unread body fasthttp reads on, in bytes, before it
// closes the connection instead.
const drained = 256 << 10

// settle makes the connection linger where an answer was given without the
// whole body having been read.
func settle(ctx *fasthttp.RequestCtx) {
	connection, ok := ctx.Conn().(*conn)
	if !ok {
		return
	}
	length := ctx.Request.Header.ContentLength()
	large := length > drained || length == -1
	connection.linger.Store(large && ctx.Response.StatusCode() >= fasthttp.StatusBadRequest)
}

// refuse answers what can't be routed, and closes the connection.
func (a *app) refuse(ctx *fasthttp.RequestCtx, err error) {
	c := a.fiber.AcquireCtx(ctx)
	defer a.fiber.ReleaseCtx(c)
	handlers.SetRequestID(c, newRequestID())
	ctx.SetConnectionClose()
	if connection, ok := ctx.Conn().(*conn); ok {
		connection.linger.Store(true)
	}
	if err := a.handlers.Fail(c, err); err != nil {
		a.log.Error("answer refused request", zap.Error(err))
	}
}

// parseProblem maps fasthttp's errors. Their text may quote the request, so it
// goes to the log only.
func parseProblem(err error) error {
	var small *fasthttp.ErrSmallBuffer
	var netErr net.Error
	switch {
	case errors.As(err, &small):
		return errors.Join(fiber.ErrRequestHeaderFieldsTooLarge, err)
	case errors.As(err, &netErr) && netErr.Timeout():
		return errors.Join(fiber.ErrRequestTimeout, err)
	case innermost(err).Error() == tooLongInt:
		return errors.Join(handlers.ErrTooLarge, err)
	}
	return errors.Join(fiber.ErrBadRequest, err)
}

// tooLongInt is all that fasthttp says of a Content-Length that an int can't hold.
const tooLongInt = "too long int"

func innermost(err error) error {
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		err = cause
	}
	return err
}

func newRequestID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
