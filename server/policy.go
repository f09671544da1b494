package server

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/cors"

	"sluice/config"
	"sluice/handlers"
)

// policy is what a request has to pass before it is routed: which pages may read
// the answer, whether the server goes by the name that it asks for, and whether
// the page behind it may change anything. The first comes first, so that pages
// can read the refusals of the others.
func policy(cfg config.Config, o origins, listen net.Addr) []fiber.Handler {
	var steps []fiber.Handler
	if len(cfg.CORSOrigins) > 0 {
		shared := corsConfig(cfg.CORSOrigins)
		steps = append(steps, cors.New(shared), readableOptions(cfg.CORSOrigins, shared.ExposeHeaders))
	}
	steps = append(steps, publicHosts(cfg, listen).check)
	if !o.any {
		steps = append(steps, func(c *fiber.Ctx) error {
			if err := o.check(c); err != nil {
				return err
			}
			return c.Next()
		})
	}
	return steps
}

// corsAge is how long a browser may remember what it may do, in seconds: the
// most that any of them does.
const corsAge = 86400

// corsConfig lets pages of others use every way in and out. They have to show
// credentials of their own: those that browsers add by themselves are for the
// server's own pages.
func corsConfig(origins config.Origins) cors.Config {
	return cors.Config{
		AllowOrigins: strings.Join(origins, ","),
		AllowMethods: "GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS,MKCOL,MOVE",
		AllowHeaders: strings.Join([]string{
			"Accept", "Authorization", "Cache-Control", "Content-Digest", "Content-Disposition", "Content-MD5", "Content-Range", "Content-Type", "Depth", "Destination",
			"If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Overwrite", "Range", "Repr-Digest",
			"Tus-Resumable", "Upload-Checksum", "Upload-Complete", "Upload-Concat", "Upload-Defer-Length", "Upload-Draft-Interop-Version",
			"Upload-Incomplete", "Upload-Length", "Upload-Metadata", "Upload-Offset",
			"Want-Content-Digest", "Want-Repr-Digest", "X-HTTP-Method-Override", "X-Request-ID", "X-Requested-With",
		}, ","),
		ExposeHeaders: strings.Join([]string{
			"Accept-Ranges", "Allow", "Content-Digest", "Content-Disposition", "Content-Length", "Content-Location", "Content-Range", "ETag",
			"Location", "Repr-Digest", "Retry-After", "Tus-Checksum-Algorithm", "Tus-Extension", "Tus-Max-Size", "Tus-Resumable", "Tus-Version",
			"Upload-Complete", "Upload-Concat", "Upload-Defer-Length", "Upload-Draft-Interop-Version", "Upload-Expires", "Upload-Incomplete",
			"Upload-Length", "Upload-Limit", "Upload-Metadata", "Upload-Offset", "X-Request-ID",
		}, ","),
		MaxAge: corsAge,
	}
}

// readableOptions lets pages read the answer to an OPTIONS of their own, by which
// tus tells what it can do. The middleware lets it pass: it is no question of the
// browser's.
func readableOptions(allowed config.Origins, exposed string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if c.Method() == fiber.MethodOptions {
			origin := c.Get(fiber.HeaderOrigin)
			switch {
			case origin == "":
			case slices.Contains(allowed, config.AnyOrigin):
				c.Set(fiber.HeaderAccessControlAllowOrigin, config.AnyOrigin)
			case slices.Contains(allowed, origin):
				c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
			}
			c.Set(fiber.HeaderAccessControlExposeHeaders, exposed)
		}
		return c.Next()
	}
}

// origins keeps pages of others from changing anything: a browser sends a form
// or an upload of any page, whether or not the page may read the answer.
// Requests that no browser has sent pass.
type origins struct {
	handlers   *handlers.Handlers
	protection *http.CrossOriginProtection
	// any tells that pages of all origins may change something, by credentials
	// of their own.
	any bool
}

func newOrigins(allowed config.Origins, h *handlers.Handlers) origins {
	o := origins{handlers: h, protection: http.NewCrossOriginProtection(), any: slices.Contains(allowed, config.AnyOrigin)}
	if o.any {
		return o
	}
	for _, origin := range allowed {
		if err := o.protection.AddTrustedOrigin(origin); err != nil {
			panic(err) // the settings take none that it wouldn't
		}
	}
	return o
}

// permit decides who may call a route. A page of anywhere may not speak for
// whoever happens to be known to their browser.
func (o origins) permit(c *fiber.Ctx, a handlers.Access) error {
	err := o.handlers.Permit(c, a)
	if err == nil && handlers.IsAmbient(c) {
		err = o.check(c)
	}
	return err
}

func (o origins) check(c *fiber.Ctx) error {
	origin, site := c.Get(fiber.HeaderOrigin), c.Get(secFetchSite)
	if origin == "" && site == "" {
		return nil
	}
	host := o.handlers.Via(c).Host
	if host == "" {
		host = string(c.Context().Request.Header.Host())
	}
	err := o.protection.Check(&http.Request{
		Method: c.Method(),
		Host:   host,
		Header: http.Header{
			fiber.HeaderOrigin: {origin},
			secFetchSite:       {site},
		},
	})
	if err != nil {
		return handlers.ErrForeignOrigin
	}
	return nil
}

const secFetchSite = "Sec-Fetch-Site"

// hosts keeps names of others from leading here: whoever has a page's name
// resolved to this address could read everything as that page's own (DNS
// rebinding).
type hosts struct {
	known map[string]bool
	// all tells that there is a list, which then is all; else a host that is an
	// address, or a name that nobody outside can have, is no danger.
	all bool
	// any tells that there is nothing to check.
	any bool
}

// publicHosts knows the public listener. A name that certificates are got for
// leads here.
func publicHosts(cfg config.Config, listen net.Addr) hosts {
	h := newHosts(cfg.Listen, cfg.AllowedHosts, listen)
	for _, name := range cfg.ACMEDomains {
		h.known[name] = true
	}
	return h
}

// newHosts knows the listener at the setting address, which has become listen, by
// that and by the allowed names.
func newHosts(address string, allowed config.Hosts, listen net.Addr) hosts {
	own := handlers.AddrOf(listen)
	h := hosts{
		known: map[string]bool{"localhost": true},
		all:   len(allowed) > 0,
		any:   len(allowed) == 0 && !own.IsLoopback(),
	}
	// The address that stands for all of the machine's is nobody's name.
	if !own.IsUnspecified() {
		h.known[own.String()] = true
		if name, _, err := net.SplitHostPort(address); err == nil {
			h.known[strings.ToLower(name)] = true
		}
	}
	for _, name := range allowed {
		if addr, err := netip.ParseAddr(name); err == nil {
			name = addr.String()
		}
		h.known[name] = true
	}
	return h
}

func (h hosts) check(c *fiber.Ctx) error {
	if h.any || h.knows(string(c.Context().Request.Header.Host())) {
		return c.Next()
	}
	return handlers.ErrUnknownHost
}

// guard is check on the operators' listener.
func (h hosts) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.any && !h.knows(r.Host) {
			say(w, http.StatusMisdirectedRequest, "this listener goes by the address of admin-listen, or localhost")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knows reports whether host, with or without a port, is one of ours. Nobody can
// have an address, or a name without a dot, resolved to where they want.
func (h hosts) knows(host string) bool {
	name := strings.ToLower(host)
	if i := strings.LastIndexByte(name, ':'); i >= 0 && !strings.HasSuffix(name, "]") {
		name = name[:i]
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.IsLoopback() || !h.all || h.known[addr.String()]
	}
	return h.known[name] || !h.all && !strings.Contains(name, ".")
}
