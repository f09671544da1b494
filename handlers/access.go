package handlers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/auth"
	"sluice/storage"
)

// Errors of access.
var (
	// errNobody: the caller has shown nothing, and would have to.
	errNobody = errors.New("not without a credential")
	// errForbidden: the caller is known, and may not do that.
	errForbidden = errors.New("not within the caller's rights")
	// errOutside: the caller may do that, but not there.
	errOutside = errors.New("outside of the caller's folder")
)

// callerKey is the request-local under which it is kept whom a request is from.
const callerKey = "caller"

// Access is what a route asks of its callers. The zero Access lets nobody in.
type Access struct {
	// Public lets everybody in, and doesn't ask who they are.
	Public bool
	// Known lets everybody in whose credential holds, or who shows none.
	Known bool
	// Scopes lets those in who have one of them.
	Scopes auth.Scopes
	// Own lets those in who have shown who they are, to what is their own. Whoever
	// comes by a link is nobody in particular.
	Own bool
	// As is the method that a link has to allow; empty is the request's own.
	As string
	// Continues tells that a request goes on with what has been counted before,
	// so that a link that is used up does. Nil is none.
	Continues func(c *fiber.Ctx) bool
	// Names tells which files or folders the head names. All of them have to lie
	// where the caller may do something.
	Names func(c *fiber.Ctx) ([]storage.Name, error)
}

// Permit decides from the head alone whether the caller may call the route, and
// keeps who it is.
func (h *Handlers) Permit(c *fiber.Ctx, a Access) error {
	if a.Public {
		return nil
	}
	who, err := h.opts.Auth.Identify(h.shown(c))
	if err != nil {
		return err
	}
	c.Locals(callerKey, who)
	if who.Method == auth.ByLink {
		c.Set("Referrer-Policy", "no-referrer") // or it would go wherever its pages lead
	}
	switch {
	case who.UsedUp && (a.Continues == nil || !a.Continues(c)):
		return auth.ErrUsedUp
	case !a.lets(who, c.Method()):
		return lacks(who)
	}
	if a.Names == nil {
		return nil
	}
	names, err := a.Names(c)
	if err != nil {
		return nil // what is no name the route's own check refuses
	}
	for _, name := range names {
		if err := within(who, name, a.Scopes); err != nil {
			return err
		}
	}
	return nil
}

// lets reports whether somebody gets in by a request's method.
func (a Access) lets(who auth.Identity, method string) bool {
	switch {
	case a.Known:
		return true
	case a.As != "":
		method = a.As
	case method == fiber.MethodHead:
		method = fiber.MethodGet
	}
	if !who.Allows(method) {
		return false
	}
	return who.Scopes.HasAny(a.Scopes) || a.Own && !who.IsAnonymous() && who.Method != auth.ByLink
}

// shown is what the request brings to tell whom it is from, copied.
func (h *Handlers) shown(c *fiber.Ctx) auth.Request {
	r := auth.Request{
		Authorization: lines(c, fiber.HeaderAuthorization),
		Session:       strings.Clone(c.Cookies(sessionCookie)),
		Client:        h.Via(c).Client,
	}
	for _, link := range c.Context().QueryArgs().PeekMulti(linkKey) {
		r.Links = append(r.Links, string(link))
	}
	if h.opts.UserHeader != "" && h.opts.Proxies.Trusts(AddrOf(c.Context().RemoteAddr())) {
		r.User = lines(c, h.opts.UserHeader)
	}
	return r
}

// lines are copies of all lines of a field.
func lines(c *fiber.Ctx, field string) []string {
	var lines []string
	for _, line := range c.Context().Request.Header.PeekAll(field) {
		lines = append(lines, string(line))
	}
	return lines
}

// lacks is why somebody may not do what their scopes don't have.
func lacks(who auth.Identity) error {
	if who.IsAnonymous() {
		return errNobody
	}
	return fmt.Errorf("%w: %s has %s", errForbidden, who.Name, who.Scopes)
}

// within fails where name is beyond the caller's folder, alike whether or not
// anything stands there: who wants to read finds nothing, who wants to write is
// told.
func within(who auth.Identity, name storage.Name, scopes auth.Scopes) error {
	switch {
	case who.Covers(name.String()):
		return nil
	case scopes.Has(auth.Write):
		return fmt.Errorf("%w: %s may not write to %q", errOutside, who.Name, name)
	}
	return fmt.Errorf("%w: %w: %s asked for %q", storage.ErrNotFound, errOutside, who.Name, name)
}

// caller is whom the request is from: somebody without any rights where Permit
// hasn't found that out.
func caller(c *fiber.Ctx) auth.Identity {
	who, _ := c.Locals(callerKey).(auth.Identity)
	return who
}

// IsAmbient reports whether the caller's browser has added the credential by
// itself.
func IsAmbient(c *fiber.Ctx) bool { return caller(c).Ambient }

// Continues reports whether a tus request is for an upload that there is, for
// [Access].
func (h *Handlers) Continues(c *fiber.Ctx) bool { return tusMethod(c) != fiber.MethodPost }

// PathName is the name in the request's path, for [Access].
func (h *Handlers) PathName(c *fiber.Ctx) ([]storage.Name, error) {
	name, err := h.nameOf(c)
	return []storage.Name{name}, err
}

// maxSize bounds an upload of the caller, in bytes; 0 is no bound.
func (h *Handlers) maxSize(c *fiber.Ctx) int64 {
	limit, own := h.limits().MaxUploadSize, caller(c).MaxSize
	if limit == 0 || own > 0 && own < limit {
		return own
	}
	return limit
}

// challenge tells what to show (RFC 9110 section 11.6.1). A browser would answer
// Basic by a dialog of its own, which is in the way of the page: it asks by itself,
// unless nothing runs there.
func (h *Handlers) challenge(c *fiber.Ctx, err error) {
	bearer := `Bearer realm="sluice"`
	if !errors.Is(err, errNobody) {
		bearer += `, error="invalid_token"`
	}
	c.Response().Header.Add(fiber.HeaderWWWAuthenticate, bearer)
	asks := wantsPage(c) && h.opts.Page.Built() && !c.Context().QueryArgs().Has("basic")
	if mode := c.Get("Sec-Fetch-Mode"); !asks && (mode == "" || mode == "navigate") {
		c.Response().Header.Add(fiber.HeaderWWWAuthenticate, `Basic realm="sluice", charset="UTF-8"`)
	}
}
