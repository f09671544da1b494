package handlers

import (
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

const (
	// failureKey and movesKey are the request-locals that tell how the request
	// has failed, and that it has begun a transfer, which has a line of its own.
	failureKey = "failure"
	movesKey   = "moves"
	// Clients choose these; nobody reads more of them. In bytes.
	maxLoggedPath  = 1024
	maxLoggedAgent = 256
)

// failure is what was answered, and why.
type failure struct {
	problem
	err error
}

// requestLine is what is logged of a request.
type requestLine struct {
	id, method, path, client, user, agent string

	status int
	bytes  int64 // of the answer's content
	took   time.Duration
	err    error // nil for a success
}

// LogRequest writes the line of a request that has failed, or that is no transfer.
func (h *Handlers) LogRequest(c *fiber.Ctx, began time.Time) {
	f, failed := c.Locals(failureKey).(failure)
	moves, _ := c.Locals(movesKey).(bool)
	if !failed && (moves || !h.opts.AccessLog) {
		return
	}
	h.logLine(requestLine{
		id: RequestID(c), method: c.Method(), path: c.Path(), client: h.clientOf(c), user: caller(c).Name, agent: c.Get(fiber.HeaderUserAgent),
		status: c.Response().StatusCode(), bytes: contentLength(c), took: time.Since(began), err: f.err,
	})
}

// contentLength is that of the answer, 0 where it isn't known yet.
func contentLength(c *fiber.Ctx) int64 {
	response := c.Response()
	switch {
	case c.Method() == fiber.MethodHead:
		return 0
	case response.IsBodyStream():
		return int64(max(response.Header.ContentLength(), 0))
	}
	return int64(len(response.Body()))
}

func (h *Handlers) logLine(l requestLine) {
	level, message := zapcore.InfoLevel, "request"
	if l.err != nil {
		message = "request failed"
	}
	if l.status >= http.StatusInternalServerError {
		level = zapcore.ErrorLevel
	}
	entry := h.opts.Log.Check(level, message)
	if entry == nil {
		return
	}
	fields := []zap.Field{
		zap.String("request_id", l.id),
		zap.String("method", l.method),
		zap.String("path", shorten(l.path, maxLoggedPath)),
		zap.Int("status", l.status),
		zap.Int64("bytes", l.bytes),
		zap.Float64("seconds", l.took.Seconds()),
		zap.String("client", l.client),
		zap.String("user", l.user),
		zap.String("user_agent", shorten(l.agent, maxLoggedAgent)),
	}
	if l.err != nil {
		fields = append(fields, zap.Error(l.err))
	}
	entry.Write(fields...)
}

// shorten cuts text to at most n bytes, none of which is half of a character.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}
