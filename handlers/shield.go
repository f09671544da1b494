package handlers

import "github.com/gofiber/fiber/v2"

// shield keeps an answer harmless to those who see it in a browser, whatever
// users have stored: types are never sniffed, nothing in it runs or loads
// anything, and no page of another origin can embed it, or find out so that it
// exists.
func shield(c *fiber.Ctx) {
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderContentSecurityPolicy, "sandbox; default-src 'none'")
	c.Set("Cross-Origin-Resource-Policy", "same-origin")
}
