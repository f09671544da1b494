package handlers

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// maxBridgedAnswer bounds what a bridged handler may write, in bytes.
const maxBridgedAnswer = 64 << 10

// bridge runs a net/http handler on a fiber request without taking the body
// into memory: the handler reads from src, which reads from the socket. Its
// answer is collected, for it is small. The request's context carries ctx's
// values and ends with the handler. Interim answers go to inform.
func bridge(ctx context.Context, c *fiber.Ctx, prefix string, src *body, handler http.Handler, inform func(http.Header)) (*bridged, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := newRequest(ctx, c, prefix, src)
	if err != nil {
		return nil, err
	}
	w := &bridged{header: make(http.Header), src: src, inform: inform}
	handler.ServeHTTP(w, r)
	return w, nil
}

// newRequest makes a net/http request of a fiber one, with prefix cut off its
// path. All strings are copies.
func newRequest(ctx context.Context, c *fiber.Ctx, prefix string, src *body) (*http.Request, error) {
	uri := strings.Clone(c.OriginalURL())
	target, err := url.ParseRequestURI(uri)
	if err != nil {
		return nil, fiber.ErrBadRequest
	}
	target.Path, target.RawPath = strings.TrimPrefix(target.Path, prefix), ""
	r := &http.Request{
		Method:        strings.Clone(c.Method()),
		URL:           target,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        make(http.Header),
		Body:          src,
		ContentLength: src.declared,
		Host:          string(c.Context().Host()),
		RemoteAddr:    c.Context().RemoteAddr().String(),
		RequestURI:    uri,
	}
	for key, value := range c.Context().Request.Header.All() {
		r.Header.Add(string(key), string(value))
	}
	return r.WithContext(ctx), nil
}

// bridged is the answer of a bridged handler.
type bridged struct {
	header http.Header
	status int
	text   bytes.Buffer
	src    *body
	inform func(header http.Header)
}

// Header implements http.ResponseWriter.
func (w *bridged) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter. An interim answer (1xx) leaves
// the final one open.
func (w *bridged) WriteHeader(status int) {
	switch {
	case status < http.StatusOK:
		w.inform(w.header)
	case w.status == 0:
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *bridged) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.text.Len()+len(p) > maxBridgedAnswer {
		return 0, errors.New("bridged answer too long")
	}
	return w.text.Write(p)
}

// SetReadDeadline is called by [http.ResponseController]. The body keeps its
// own deadlines as bytes arrive; one that has passed already is a handler's way
// to stop a read that runs.
func (w *bridged) SetReadDeadline(deadline time.Time) error {
	if !deadline.IsZero() && !deadline.After(time.Now()) {
		return w.src.Close()
	}
	return nil
}

// SetWriteDeadline is called by [http.ResponseController]. Answers get their
// deadline when they are written.
func (w *bridged) SetWriteDeadline(time.Time) error { return nil }

// copyTo hands the answer to fiber.
func (w *bridged) copyTo(c *fiber.Ctx) error {
	w.copyHeader(c)
	return c.Status(max(w.status, http.StatusOK)).Send(w.text.Bytes())
}

func (w *bridged) copyHeader(c *fiber.Ctx) {
	for key, values := range w.header {
		for _, value := range values {
			c.Response().Header.Add(key, value)
		}
	}
}
