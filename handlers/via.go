package handlers

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"sluice/internal/forwarded"
	"sluice/storage"
)

// viaKey is the request-local under which it is kept how the request has come.
const viaKey = "via"

// Via is how the request has come: from whom, and for which URL. What a proxy
// tells counts if it is trusted.
func (h *Handlers) Via(c *fiber.Ctx) forwarded.Via {
	if via, ok := c.Locals(viaKey).(forwarded.Via); ok {
		return via
	}
	host := string(c.Context().Request.Header.Host())
	via := h.opts.Proxies.Read(AddrOf(c.Context().RemoteAddr()), schemeOf(c), host, func(name string) []string { return lines(c, name) })
	c.Locals(viaKey, via)
	return via
}

// schemeOf is https on a connection that speaks TLS. Of a plain one nobody knows
// what the client speaks.
func schemeOf(c *fiber.Ctx) string {
	if Secure(c.Context()) {
		return "https"
	}
	return ""
}

// Secure reports whether the request has come over TLS.
func Secure(ctx *fasthttp.RequestCtx) bool {
	conn, ok := ctx.Conn().(interface{ Secure() bool })
	return ok && conn.Secure()
}

// clientOf is what counts as one client for all limits but those on connections.
func (h *Handlers) clientOf(c *fiber.Ctx) string { return h.Via(c).Client.String() }

// AddrOf is the address of the other end of a connection, without its port.
func AddrOf(addr net.Addr) netip.Addr {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// links writes the addresses that an answer tells.
type links struct {
	origin, base string
	// credential is the text of the link that the request has come by, or empty.
	credential string
}

// links are those that lead back the way that the request has come.
func (h *Handlers) links(c *fiber.Ctx) links {
	via := h.Via(c)
	l := links{base: via.Prefix + h.opts.BasePath, credential: caller(c).Credential}
	if h.opts.AbsoluteURLs {
		l.origin = via.Origin()
	}
	return l
}

// path is where a file or folder is reached.
func (l links) path(info storage.Info) string {
	path := l.base + filesPath + escape(info.Name)
	if info.Folder && !info.Name.IsRoot() {
		path += "/"
	}
	return path
}

// entry is where a file or folder is reached by whoever has come by a link.
func (l links) entry(info storage.Info) string { return l.path(info) + l.query() }

func (l links) query() string {
	if l.credential == "" {
		return ""
	}
	return "?" + linkKey + "=" + url.QueryEscape(l.credential)
}

// url is the path as fields tell it: as a whole URL where that is wanted.
func (l links) url(info storage.Info) string { return l.origin + l.path(info) }

// upload is the URL of an upload. Of the one that tusd makes only the id is
// right behind a proxy.
func (l links) upload(made string) string {
	return l.origin + l.base + tusPath + made[strings.LastIndexByte(made, '/')+1:] + l.query()
}

// folder is the path of a folder.
func (l links) folder(name storage.Name) string {
	return l.path(storage.Info{Name: name, Folder: true})
}
