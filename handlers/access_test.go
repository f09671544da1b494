package handlers

import (
	"github.com/gofiber/fiber/v2"

	"sluice/internal/auth"
)

// asEverybody lets a request do what it likes.
func asEverybody(c *fiber.Ctx) error {
	c.Locals(callerKey, auth.Identity{Scopes: auth.All})
	return c.Next()
}
