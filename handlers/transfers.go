package handlers

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/auth"
	"sluice/internal/transfer"
)

// Transfers lists the transfers that run, oldest first, and those that have
// ended lately, newest first: all of them for Admin, and else the caller's own.
func (h *Handlers) Transfers(c *fiber.Ctx) error {
	who := caller(c)
	foreign := func(s transfer.Snapshot) bool { return !mayFollow(who, s) }
	return c.JSON(struct {
		Running []transfer.Snapshot `json:"running"`
		Recent  []transfer.Record   `json:"recent"`
	}{
		slices.DeleteFunc(h.opts.Transfers.Running(), foreign),
		slices.DeleteFunc(h.opts.Transfers.Recent(), func(r transfer.Record) bool { return foreign(r.Snapshot) }),
	})
}

// mayFollow reports whether a transfer is the caller's business.
func mayFollow(who auth.Identity, s transfer.Snapshot) bool {
	return who.Scopes.Has(auth.Admin) || !who.IsAnonymous() && who.Owns(s.User)
}
