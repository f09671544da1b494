package handlers

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/auth"
	"sluice/storage"
	"sluice/web"
)

// pagePolicy lets the page show and use what this server has, and nothing else: no
// inline script or style, no other host, no frame around it. Scripts run by a
// nonce and not for coming from here, where anybody may have stored one.
const pagePolicy = "default-src 'none'; script-src 'nonce-%s'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// wantsPage tells a browser that opens an address from all other clients.
func wantsPage(c *fiber.Ctx) bool {
	return strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML)
}

// sendPage answers with the page.
func (h *Handlers) sendPage(c *fiber.Ctx, v web.View) error {
	links, who := h.links(c), caller(c)
	v.Sends = maySendForms(who)
	v.Base, v.Nonce, v.Query, v.Top = links.base, rand.Text(), strings.TrimPrefix(links.query(), "?"), who.Prefix
	var page bytes.Buffer
	if err := h.opts.Page.Render(&page, v); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	c.Set(fiber.HeaderContentSecurityPolicy, fmt.Sprintf(pagePolicy, v.Nonce))
	c.Set(fiber.HeaderCacheControl, "no-cache")
	if len(c.Response().Header.Peek(fiber.HeaderReferrerPolicy)) == 0 {
		c.Set(fiber.HeaderReferrerPolicy, "same-origin") // names of folders are nobody else's business
	}
	return c.Send(page.Bytes())
}

// failPage shows a problem to a person. Where a token may help, the page asks for
// one. To who may send files into a folder and not see it, it is where to drop them.
func (h *Handlers) failPage(c *fiber.Ctx, p problem) error {
	c.Vary(fiber.HeaderAccept)
	if folder, ok := h.dropFolder(c); ok && p.Status == http.StatusForbidden {
		return h.sendPage(c, web.View{Folder: folder.String(), URL: h.links(c).folder(folder), Drops: true})
	}
	return h.sendPage(c, web.View{
		Problem: &web.Problem{Status: p.Status, Title: p.Title, Detail: p.Detail, RequestID: p.RequestID},
		Runs:    p.Status == http.StatusUnauthorized,
	})
}

func maySendForms(who auth.Identity) bool {
	return who.Scopes.Has(auth.Write) && who.Allows(fiber.MethodPost)
}

// dropFolder is where somebody may send forms to who has opened a folder: that
// one, or else their own.
func (h *Handlers) dropFolder(c *fiber.Ctx) (storage.Name, bool) {
	who := caller(c)
	opened := c.Method() == fiber.MethodGet && strings.HasPrefix(c.Path(), h.opts.BasePath+filesPath) && strings.HasSuffix(c.Path(), "/")
	if !opened || who.UsedUp || who.Exact || !maySendForms(who) {
		return storage.Name{}, false
	}
	folder, err := h.nameOf(c)
	if err == nil && !who.Covers(folder.String()) {
		folder, err = storage.ParseName(who.Prefix)
	}
	return folder, err == nil
}

// Home leads to the files.
func (h *Handlers) Home(c *fiber.Ctx) error {
	return c.Redirect(h.links(c).folder(storage.Name{}), fiber.StatusFound)
}

// Asset answers with a part of the page, which never changes under its name.
func (h *Handlers) Asset(c *fiber.Ctx) error {
	asset, ok := h.opts.Page.Asset(c.Params("*"))
	if !ok {
		return fiber.ErrNotFound
	}
	shield(c)
	c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	c.Set(fiber.HeaderETag, asset.ETag)
	c.Set(fiber.HeaderContentType, asset.Type)
	c.Vary(fiber.HeaderAcceptEncoding)
	if matches(fieldOf(c)(fiber.HeaderIfNoneMatch), asset.ETag, inAnyCoding) {
		c.Status(fiber.StatusNotModified)
		return nil
	}
	content, coding := codingOf(asset, fieldOf(c)(fiber.HeaderAcceptEncoding))
	if coding != "" {
		c.Set(fiber.HeaderContentEncoding, coding)
		// The bytes are others (RFC 9110 section 8.8.1).
		c.Set(fiber.HeaderETag, strings.TrimSuffix(asset.ETag, `"`)+"-"+coding+`"`)
	}
	return c.Send(content)
}

// inAnyCoding compares the tags of an asset, which begin alike in every coding.
func inAnyCoding(a, tag string) bool {
	return strings.HasPrefix(strings.TrimPrefix(a, "W/"), strings.TrimSuffix(tag, `"`))
}

// codingOf chooses among the codings that are ready the shortest that the client
// takes (RFC 9110 section 12.5.3).
func codingOf(asset web.Asset, accept string) (content []byte, coding string) {
	for _, ready := range []struct {
		coding  string
		content []byte
	}{{"br", asset.Brotli}, {"gzip", asset.Gzip}} {
		if ready.content != nil && takes(accept, ready.coding) {
			return ready.content, ready.coding
		}
	}
	return asset.Content, ""
}

// takes reports whether an Accept-Encoding field has a coding with a weight
// other than 0.
func takes(accept, coding string) bool {
	for member := range strings.SplitSeq(accept, ",") {
		name, parameter, weighted := strings.Cut(member, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		_, q, _ := strings.Cut(parameter, "=")
		weight, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
		return !weighted || err == nil && weight > 0
	}
	return false
}
