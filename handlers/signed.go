package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/auth"
	"sluice/storage"
)

const (
	// linkKey is the key of the query that holds a signed link.
	linkKey = "link"
	// maxLinkRequest bounds the body of a request for a link, in bytes.
	maxLinkRequest = 64 << 10
)

// errLinkRequest: the body of a request for a link isn't one.
var errLinkRequest = errors.New("malformed request for a link")

// linkRequest is what a link is to be like.
type linkRequest struct {
	// Path is that of a file, or of a folder with a slash at its end.
	Path    string   `json:"path"`
	Methods []string `json:"methods"`
	// ExpiresIn is in seconds.
	ExpiresIn int64 `json:"expires_in"`
	MaxSize   int64 `json:"max_size"`
	MaxUses   int   `json:"max_uses"`
}

// SignLink makes a link that gives away some of what the caller may do.
func (h *Handlers) SignLink(c *fiber.Ctx) error {
	asked, err := h.readLinkRequest(c)
	if err != nil {
		return err
	}
	name, err := storage.ParseName(strings.TrimPrefix(asked.Path, "/"))
	if err != nil {
		return err
	}
	folder := name.IsRoot() || strings.HasSuffix(asked.Path, "/")
	signed, text, err := h.opts.Auth.SignLink(auth.Link{
		Methods: asked.Methods, Path: name.String(), Folder: folder,
		Expires: time.Now().Unix() + asked.ExpiresIn, MaxSize: asked.MaxSize, MaxUses: asked.MaxUses,
	}, caller(c))
	if err != nil {
		return err
	}
	l := h.links(c)
	l.credential = text
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.Status(fiber.StatusCreated).JSON(struct {
		ID      string    `json:"id"`
		URL     string    `json:"url"`
		Expires time.Time `json:"expires"`
	}{signed.ID, l.origin + l.entry(storage.Info{Name: name, Folder: folder}), time.Unix(signed.Expires, 0).UTC()})
}

func (h *Handlers) readLinkRequest(c *fiber.Ctx) (linkRequest, error) {
	var asked linkRequest
	body := io.LimitReader(newBody(c.Context(), h.limits().patience()), maxLinkRequest)
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil {
		return asked, fmt.Errorf("%w: %w", errLinkRequest, err)
	}
	return asked, nil
}

// CheckSignLink refuses what is no request for a link, or nobody's. A form of
// another page can't have this type.
func (h *Handlers) CheckSignLink(c *fiber.Ctx) error {
	if who := caller(c); who.IsAnonymous() {
		return lacks(who)
	}
	if kind, _, _ := strings.Cut(c.Get(fiber.HeaderContentType), ";"); strings.TrimSpace(kind) != fiber.MIMEApplicationJSON {
		return fmt.Errorf("%w: no JSON", errLinkRequest)
	}
	if declaredLength(c.Context()) > maxLinkRequest {
		return ErrTooLarge
	}
	return nil
}

// RevokeLink ends a link by its id.
func (h *Handlers) RevokeLink(c *fiber.Ctx) error {
	err := h.opts.Auth.RevokeLink(strings.Clone(c.Params("id")))
	if errors.Is(err, auth.ErrLink) {
		return storage.ErrNotFound
	}
	if err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// use counts a download, where the caller's credential bounds how many.
func (h *Handlers) use(c *fiber.Ctx) error {
	_, err := h.opts.Auth.Use(caller(c))
	return err
}
