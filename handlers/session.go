package handlers

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/auth"
)

// sessionCookie holds a session, for what a page can't send a field with:
// images, videos, links and event streams.
const sessionCookie = "sluice_session"

// You is how an answer tells the caller who they are and what they may do.
type You struct {
	// Name is null for whoever has shown nothing.
	Name   *string     `json:"name"`
	Scopes auth.Scopes `json:"scopes"`
	// Prefix is the folder that everything has to be in, "" for the root.
	Prefix string `json:"prefix"`
	// MaxSize bounds an upload in bytes, that of the server counted in; 0 is no
	// bound.
	MaxSize int64 `json:"max_size"`
	// Methods are those of HTTP that a link is good for; left out where all are.
	Methods []string `json:"methods,omitempty"`
	// Expires is when the credential ends; left out for never.
	Expires time.Time `json:"expires,omitzero"`
}

// You tells the caller.
func (h *Handlers) You(c *fiber.Ctx) You {
	who := caller(c)
	you := You{Scopes: who.Scopes, Prefix: who.Prefix, MaxSize: h.maxSize(c), Methods: who.Methods, Expires: who.Expires.UTC()}
	if !who.IsAnonymous() {
		you.Name = &who.Name
	}
	if who.Expires.IsZero() {
		you.Expires = time.Time{}
	}
	return you
}

// CheckLogin refuses a session to who hasn't shown what it could be traded for.
func (h *Handlers) CheckLogin(c *fiber.Ctx) error {
	if who := caller(c); !who.CanLogIn() {
		return lacks(who)
	}
	return nil
}

// Login opens a session for who has shown a token, and tells them who they are.
func (h *Handlers) Login(c *fiber.Ctx) error {
	cookie, expires := h.opts.Auth.OpenSession(caller(c))
	h.setSession(c, cookie, expires)
	return c.Status(fiber.StatusCreated).JSON(struct {
		You     You       `json:"you"`
		Expires time.Time `json:"expires"`
	}{h.You(c), expires.UTC()})
}

// Logout ends the session.
func (h *Handlers) Logout(c *fiber.Ctx) error {
	h.opts.Auth.CloseSession(c.Cookies(sessionCookie))
	h.setSession(c, "", time.Unix(1, 0))
	return c.SendStatus(fiber.StatusNoContent)
}

// setSession has the browser keep the cookie out of reach of scripts and of
// other sites, and send it back where all routes stand.
func (h *Handlers) setSession(c *fiber.Ctx, value string, expires time.Time) {
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Cookie(&fiber.Cookie{
		Name:     sessionCookie,
		Value:    value,
		Path:     h.links(c).base + "/",
		Expires:  expires,
		HTTPOnly: true,
		SameSite: fiber.CookieSameSiteStrictMode,
		Secure:   h.Via(c).Scheme == "https" || c.Context().IsTLS(),
	})
}
