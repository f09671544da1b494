package handlers

import (
	"github.com/gofiber/fiber/v2"

	"sluice/internal/transfer"
	"sluice/storage"
)

// ask asks the veto about an upload that is about to begin.
func (h *Handlers) ask(c *fiber.Ctx, p transfer.Protocol, name storage.Name, size int64, metadata map[string]string) error {
	if h.opts.Veto == nil {
		return nil
	}
	u := h.originOf(c, p).upload("", name, size)
	u.Metadata = metadata
	return h.opts.Veto.Ask(h.opts.Context, u)
}
