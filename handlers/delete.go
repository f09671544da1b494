package handlers

import "github.com/gofiber/fiber/v2"

// Delete removes the file, or the empty folder, under the name in the path.
func (h *Handlers) Delete(c *fiber.Ctx) error {
	name, err := h.nameOf(c)
	if err != nil {
		return err
	}
	if err := h.store(c).Remove(h.opts.Context, name); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}
