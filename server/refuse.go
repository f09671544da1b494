package server

import (
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// probeKey marks a request whose body has not been asked for yet. Its value
// is set to passed by the gate when nothing speaks against the body.
const probeKey = "probe"

type probe struct{ passed bool }

// expect decides a request with "Expect: 100-continue" (RFC 9110 section
// 10.1.1): it is routed and checked like any other, but goes no further than
// the gate. What the checks refuse gets its final answer in place of the 100.
func expect(ctx *fasthttp.RequestCtx, handle fasthttp.RequestHandler) int {
	p := new(probe)
	ctx.SetUserValue(probeKey, p)
	handle(ctx)
	ctx.RemoveUserValue(probeKey)
	if p.passed {
		return fasthttp.StatusContinue
	}
	return ctx.Response.StatusCode()
}

// gate stands before every route's handler and runs the route's check, once
// from the head alone and once more when the body is there.
func gate(check fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if check != nil {
			if err := check(c); err != nil {
				return err
			}
		}
		if p, ok := c.Locals(probeKey).(*probe); ok {
			p.passed = true
			return nil
		}
		return c.Next()
	}
}
