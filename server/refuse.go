package server

import (
	"bytes"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// probeKey marks a request that is decided before its body. Its value is set to
// passed by the gate when nothing speaks against the body.
const probeKey = "probe"

type probe struct{ passed bool }

// isAwaited reports whether the request is decided before its body, and hasn't
// passed yet.
func isAwaited(c *fiber.Ctx) bool {
	p, early := c.Locals(probeKey).(*probe)
	return early && !p.passed
}

// decideEarly lets a request with a body be decided before any of the body has
// come. fasthttp waits for a byte of it, but for requests that expect to be
// asked first, so that all do now.
func decideEarly(head *fasthttp.RequestHeader) {
	length := head.ContentLength() // -1 for a chunked body, -2 for none
	hasBody := length > 0 || length == -1
	if hasBody && head.IsHTTP11() && len(head.Peek(fiber.HeaderExpect)) == 0 {
		head.Set(fiber.HeaderExpect, "100-continue")
	}
}

// expect decides a request with "Expect: 100-continue" (RFC 9110 section
// 10.1.1): it is routed and checked like any other, but goes no further than
// the gate. What the checks refuse gets its final answer in place of the 100,
// and the connection is closed.
func expect(ctx *fasthttp.RequestCtx, handle fasthttp.RequestHandler) int {
	p := new(probe)
	ctx.SetUserValue(probeKey, p)
	handle(ctx)
	if !p.passed {
		return ctx.Response.StatusCode()
	}
	if c, ok := ctx.Conn().(*conn); ok && !expects(&ctx.Request.Header) {
		c.unasked = true
		ctx.Request.Header.Del(fiber.HeaderExpect)
	}
	return fasthttp.StatusContinue
}

// expects reports whether the client itself has sent an expectation: whether
// one stands among the fields as they came.
func expects(head *fasthttp.RequestHeader) bool {
	for line := range bytes.Lines(head.RawHeaders()) {
		key, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(key, []byte(fiber.HeaderExpect)) {
			return len(bytes.TrimSpace(value)) > 0
		}
	}
	return false
}

// gate stands before every route's handler and runs the route's check, once and
// from the head alone. What may change while the body comes is the store's
// matter, which looks again when it publishes.
func gate(check fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		p, early := c.Locals(probeKey).(*probe)
		if early && p.passed {
			return c.Next()
		}
		if err := check(c); err != nil {
			return err
		}
		if early {
			p.passed = true
			return nil
		}
		return c.Next()
	}
}
