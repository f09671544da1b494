package server

import (
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"sluice/config"
	"sluice/handlers"
)

// hsts is the value of Strict-Transport-Security (RFC 6797 section 6.1).
func hsts(cfg config.Config) string {
	if cfg.HSTSMaxAge == 0 {
		return ""
	}
	return "max-age=" + strconv.FormatInt(int64(cfg.HSTSMaxAge.Seconds()), 10)
}

// keepSecure has browsers use TLS alone once they have come by it: the field
// means nothing elsewhere (RFC 6797 section 7.2).
func (a *app) keepSecure(ctx *fasthttp.RequestCtx) {
	if a.hsts != "" && handlers.Secure(ctx) {
		ctx.Response.Header.Set(fiber.HeaderStrictTransportSecurity, a.hsts)
	}
}
