package handlers

import (
	"github.com/gofiber/fiber/v2"

	"sluice/internal/transfer"
)

// Transfers lists the transfers that run, oldest first, and those that have
// ended lately, newest first.
func (h *Handlers) Transfers(c *fiber.Ctx) error {
	return c.JSON(struct {
		Running []transfer.Snapshot `json:"running"`
		Recent  []transfer.Record   `json:"recent"`
	}{h.opts.Transfers.Running(), h.opts.Transfers.Recent()})
}
