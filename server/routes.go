package server

import (
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
func routes(h *handlers.Handlers) []route {
	get := []string{fiber.MethodGet, fiber.MethodHead}
	return []route{
		{get, "/", nil, h.Home},
		{get, "/files/*", nil, h.Download},
		{[]string{fiber.MethodPut}, "/files/*", h.CheckPut, h.Put},
		{[]string{fiber.MethodPost}, "/files/*", h.CheckForm, h.Form},
		{[]string{fiber.MethodDelete}, "/files/*", nil, h.Delete},
		{[]string{
			fiber.MethodPost, fiber.MethodOptions, fiber.MethodHead, fiber.MethodPatch, fiber.MethodDelete,
		}, "/tus/*", h.CheckTus, h.Tus},
		{[]string{fiber.MethodGet}, "/tus/*", nil, h.TusContent},
		{get, "/api/v1/transfers", nil, h.Transfers},
	}
}

func (r route) register(app *fiber.App) {
	for _, method := range r.methods {
		app.Add(method, r.path, gate(r.check), r.handle)
	}
}
