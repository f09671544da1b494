package server

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sluice/handlers"
	"sluice/internal/auth"
)

// route is one row of the route table.
type route struct {
	methods []string
	path    string
	// access decides who may call it. A row that forgets it lets nobody in.
	access handlers.Access
	// check decides what else can be decided from the head alone. It may be nil.
	check  fiber.Handler
	handle fiber.Handler
}

// routes is the one route table of the public listener.
// All stand below base, which is empty or has no slash at its end.
func routes(h *handlers.Handlers, base string) []route {
	var (
		get    = []string{fiber.MethodGet, fiber.MethodHead}
		put    = []string{fiber.MethodPut}
		post   = []string{fiber.MethodPost}
		remove = []string{fiber.MethodDelete}
		tus    = []string{fiber.MethodPost, fiber.MethodPatch, fiber.MethodHead, fiber.MethodDelete}
	)
	var (
		public = handlers.Access{Public: true}
		known  = handlers.Access{Known: true}
		own    = handlers.Access{Scopes: auth.Admin, Own: true}
		named  = func(scopes auth.Scopes) handlers.Access { return handlers.Access{Scopes: scopes, Names: h.PathName} }
	)
	table := []route{
		{get, "/", public, nil, h.Home},
		{get, "/assets/*", public, nil, h.Asset},
		{get, "/files/*", named(auth.Read | auth.List), nil, h.Download},
		{put, "/files/*", named(auth.Write), h.CheckPut, h.Put},
		{post, "/files/*", named(auth.Write), h.CheckForm, h.Form},
		{remove, "/files/*", named(auth.Delete), nil, h.Delete},
		{[]string{handlers.MethodMkcol}, "/files/*", named(auth.Write), nil, h.MakeFolder},
		{[]string{handlers.MethodMove}, "/files/*", handlers.Access{Scopes: auth.Write, Names: h.MoveNames}, h.CheckMove, h.Move},
		{tus, "/tus/*", handlers.Access{Scopes: auth.Write, As: fiber.MethodPost, Names: h.TusNames, Continues: h.Continues}, h.CheckTus, h.Tus},
		// What can be done tells nothing of what is there.
		{[]string{fiber.MethodOptions}, "/tus/*", public, h.CheckTus, h.Tus},
		{get[:1], "/tus/*", handlers.Access{Scopes: auth.Read}, nil, h.TusContent},
		{get, "/api/v1/info", known, nil, h.Info},
		{get, "/api/v1/transfers", own, nil, h.Transfers},
		{get[:1], "/api/v1/transfers/stream", own, nil, h.TransferStream},
		{remove, "/api/v1/transfers/:id", own, nil, h.StopTransfer},
		{post, "/api/v1/session", known, h.CheckLogin, h.Login},
		{remove, "/api/v1/session", public, nil, h.Logout},
		{post, "/api/v1/links", handlers.Access{Scopes: auth.All}, h.CheckSignLink, h.SignLink},
		{remove, "/api/v1/links/:id", handlers.Access{Scopes: auth.Admin}, nil, h.RevokeLink},
	}
	for i := range table {
		table[i].path = base + table[i].path
	}
	if base != "" {
		table = append(table, route{get, base, public, nil, h.Home})
	}
	return table
}

// register adds the routes to app. Every path answers OPTIONS with what it
// allows (RFC 9110 section 9.3.7); one that takes OPTIONS itself says the rest.
func register(app *fiber.App, routes []route, permit func(c *fiber.Ctx, a handlers.Access) error) {
	for path, methods := range methodsOf(routes) {
		next := noContent
		if slices.Contains(methods, fiber.MethodOptions) {
			next = (*fiber.Ctx).Next
		}
		app.Options(path, allow(methods, next))
	}
	for _, r := range routes {
		for _, method := range r.methods {
			app.Add(method, r.path, gate(r.decide(permit)), r.handle)
		}
	}
}

// decide is all that the head alone decides of a request: first of all who may
// call the route.
func (r route) decide(permit func(c *fiber.Ctx, a handlers.Access) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if err := permit(c, r.access); err != nil || r.check == nil {
			return err
		}
		return r.check(c)
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

// methods are those that the server knows: fiber's, and two of WebDAV.
var methods = append(slices.Clone(fiber.DefaultMethods), handlers.MethodMkcol, handlers.MethodMove)

// inOrder puts methods into fiber's order, in which it lists those that are
// allowed where another one was tried.
func inOrder(some []string) []string {
	return slices.DeleteFunc(slices.Clone(methods), func(method string) bool {
		return !slices.Contains(some, method)
	})
}
