package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
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
	// options answers "OPTIONS *".
	options fiber.Handler
	// hsts is the field that keeps browsers from plain HTTP, empty for none.
	hsts string
}

func newApp(cfg config.Config, log *zap.Logger, h *handlers.Handlers, listen net.Addr) *app {
	a := &app{handlers: h, log: log, hsts: hsts(cfg)}
	a.fiber = fiber.New(fiber.Config{
		RequestMethods:    methods,
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
	origins := newOrigins(cfg.CORSOrigins, h)
	for _, middleware := range policy(cfg, origins, listen) {
		a.fiber.Use(middleware)
	}
	table := routes(h, basePath(cfg))
	register(a.fiber, table, origins.permit)
	a.options = allow(slices.Concat(slices.Collect(maps.Values(methodsOf(table)))...), noContent)
	a.tune(a.fiber.Server())
	return a
}

// tune sets what fiber has no setting for.
func (a *app) tune(s *fasthttp.Server) {
	routed := a.fiber.Handler()
	handle := func(ctx *fasthttp.RequestCtx) {
		// Fiber would answer a method that it wasn't told of in its own words.
		if !slices.Contains(methods, string(ctx.Method())) {
			a.refuse(ctx, fiber.ErrNotImplemented)
			return
		}
		routed(ctx)
	}
	s.Handler = handle
	s.ExpectHandler = func(ctx *fasthttp.RequestCtx) int { return expect(ctx, handle) }
	// The text of an error goes to the log, where a head may hold secrets.
	s.SecureErrorLogMessage = true
	s.ErrorHandler = func(ctx *fasthttp.RequestCtx, err error) { a.refuse(ctx, parseProblem(err)) }
	s.Logger = zap.NewStdLog(a.log.Named("fasthttp"))
	s.CloseOnShutdown = true
	s.ConnState = func(c net.Conn, state fasthttp.ConnState) {
		if c, ok := c.(*conn); ok {
			c.mark(state)
		}
	}
	s.NoDefaultContentType = true
	s.HeaderReceived = func(head *fasthttp.RequestHeader) fasthttp.RequestConfig {
		decideEarly(head)
		// Once the head is there, the body has its own, longer patience.
		return fasthttp.RequestConfig{ReadTimeout: a.handlers.IdleTimeout()}
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

// around wraps every request: an id, an answer whatever happens, and a deadline
// for it.
func (a *app) around(c *fiber.Ctx) error {
	began, awaited := time.Now(), isAwaited(c)
	if handlers.RequestID(c) == "" {
		handlers.SetRequestID(c, newRequestID())
	}
	if err := a.next(c); err != nil {
		if err := a.handlers.Fail(c, err); err != nil {
			return err
		}
	}
	a.keepSecure(c.Context())
	if c.Method() == fiber.MethodHead && c.Response().Header.ContentLength() == 0 {
		c.Response().Header.SetContentLength(0) // or it would be missing, which GET's is not
	}
	if !awaited || isAwaited(c) { // else the body comes now, and then the answer
		a.handlers.LogRequest(c, began)
	}
	return c.Context().SetWriteDeadline(time.Now().Add(a.handlers.IdleTimeout()))
}

// next runs the handler. A panic of it is a fault of ours like any other.
func (a *app) next(c *fiber.Ctx) error {
	// RFC 9112 section 3.2.4: the target of OPTIONS for the server as a whole.
	if c.OriginalURL() == "*" {
		return a.options(c)
	}
	err := a.handlers.Guard(c.Next)
	// Fiber's router has an error of its own for each path.
	var routing *fiber.Error
	if errors.As(err, &routing) && routing.Code == fiber.StatusNotFound {
		return fiber.ErrNotFound
	}
	return err
}

// refuse answers what can't be routed, and closes the connection.
func (a *app) refuse(ctx *fasthttp.RequestCtx, err error) {
	c := a.fiber.AcquireCtx(ctx)
	defer a.fiber.ReleaseCtx(c)
	handlers.SetRequestID(c, newRequestID())
	ctx.SetConnectionClose()
	a.keepSecure(ctx)
	began := time.Now()
	if err := a.handlers.Fail(c, err); err != nil {
		a.log.Error("answer refused request", zap.Error(err))
	}
	a.handlers.LogRequest(c, began)
}

// parseProblem maps the errors of a head. Those of framing are in the table of
// all problems; whatever else fasthttp finds wrong is the client's fault.
func parseProblem(err error) error {
	var netErr net.Error
	switch {
	case errors.As(err, &netErr) && netErr.Timeout():
		return errors.Join(fiber.ErrRequestTimeout, err)
	case innermost(err).Error() == tooLongInt:
		return errors.Join(handlers.ErrTooLarge, err)
	}
	return errors.Join(err, fiber.ErrBadRequest)
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
