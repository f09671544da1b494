package server

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sluice/handlers"
)

// route is one row of the route table.
type route struct {
	methods []string
	path    string
	// check decides what can be decided from the head alone. It may be nil.
	check  fiber.Handler
	handle fiber.Handler
}

// routes is the one route table of the public listener.
// All stand below base, which is empty or has no slash at its end.
func routes(h *handlers.Handlers, base string) []route {
	get := []string{fiber.MethodGet, fiber.MethodHead}
	table := []route{
		{get, "/", nil, h.Home},
		{get, "/files/*", nil, h.Download},
		{[]string{fiber.MethodPut}, "/files/*", h.CheckPut, h.Put},
		{[]string{fiber.MethodPost}, "/files/*", h.CheckForm, h.Form},
		{[]string{fiber.MethodDelete}, "/files/*", nil, h.Delete},
		{[]string{
			fiber.MethodPost, fiber.MethodPatch, fiber.MethodHead, fiber.MethodDelete, fiber.MethodOptions,
		}, "/tus/*", h.CheckTus, h.Tus},
		{[]string{fiber.MethodGet}, "/tus/*", nil, h.TusContent},
		{get, "/api/v1/transfers", nil, h.Transfers},
	}
	for i := range table {
		table[i].path = base + table[i].path
	}
	if base != "" {
		table = append(table, route{get, base, nil, h.Home})
	}
	return table
}

// register adds the routes to app. Every path answers OPTIONS with what it
// allows (RFC 9110 section 9.3.7); one that takes OPTIONS itself says the rest.
func register(app *fiber.App, routes []route) {
	for path, methods := range methodsOf(routes) {
		next := noContent
		if slices.Contains(methods, fiber.MethodOptions) {
			next = (*fiber.Ctx).Next
		}
		app.Options(path, allow(methods, next))
	}
	for _, r := range routes {
		for _, method := range r.methods {
			app.Add(method, r.path, gate(r.check), r.handle)
		}
	}
}

// methodsOf lists the methods of each path.
func methodsOf(routes []route) map[string][]string {
	methods := make(map[string][]string)
	for _, r := range routes {
		methods[r.path] = append(methods[r.path], r.methods...)
	}
	return methods
}

// allow tells which methods there are, beside OPTIONS.
func allow(methods []string, next fiber.Handler) fiber.Handler {
	list := strings.Join(inOrder(append(methods, fiber.MethodOptions)), ", ")
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderAllow, list)
		return next(c)
	}
}

func noContent(c *fiber.Ctx) error {
	c.Status(fiber.StatusNoContent)
	return nil
}

// inOrder puts methods into fiber's order, in which it lists those that are
// allowed where another one was tried.
func inOrder(methods []string) []string {
	return slices.DeleteFunc(slices.Clone(fiber.DefaultMethods), func(method string) bool {
		return !slices.Contains(methods, method)
	})
}
