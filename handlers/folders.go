package handlers

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/auth"
	"sluice/storage"
)

// Methods beside fiber's own.
const (
	MethodMkcol = "MKCOL" // RFC 4918 section 9.3
	MethodMove  = "MOVE"  // RFC 4918 section 9.9
)

var (
	// errTaken: no folder can be made where something stands.
	errTaken = errors.New("name is taken")
	// errFolderBody: nothing is known that could be sent to make a folder of.
	errFolderBody = errors.New("body for a folder")
	// errDestination: the request doesn't say in the right way where to.
	errDestination = errors.New("bad destination")
	// errElsewhere: the destination is no file of this server.
	errElsewhere = errors.New("destination on another server")
)

// takenAllow are the methods that a folder has once it is there.
const takenAllow = "GET, HEAD, POST, DELETE, OPTIONS, MOVE"

// MakeFolder makes an empty folder under the name in the path, and those above
// it that are missing, as PUT does: 201.
func (h *Handlers) MakeFolder(c *fiber.Ctx) error {
	name, err := h.nameOf(c)
	if err != nil {
		return err
	}
	if declaredLength(c.Context()) != 0 {
		return errFolderBody
	}
	err = h.store(c).MakeFolder(h.opts.Context, name)
	if errors.Is(err, storage.ErrExists) {
		c.Set(fiber.HeaderAllow, takenAllow)
		return fmt.Errorf("%w: %w", errTaken, err)
	}
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderLocation, h.links(c).url(storage.Info{Name: name, Folder: true}))
	c.Status(fiber.StatusCreated)
	return nil
}

// MoveNames are the names that a MOVE tells, for [Access].
func (h *Handlers) MoveNames(c *fiber.Ctx) ([]storage.Name, error) {
	from, err := h.nameOf(c)
	if err != nil {
		return nil, err
	}
	to, _, err := h.destination(c)
	return []storage.Name{from, to}, err
}

// CheckMove refuses callers who may write, but not take anything away.
func (h *Handlers) CheckMove(c *fiber.Ctx) error {
	from, err := h.nameOf(c)
	if err != nil {
		return err
	}
	return h.store(c).may(auth.Write|auth.Delete, from)
}

// Move gives the file or folder under the name in the path the name that the
// field Destination has: 201, or 204 where that replaced a file. Without
// "Overwrite: F" it may. Folders that are missing are made, as PUT does.
func (h *Handlers) Move(c *fiber.Ctx) error {
	from, err := h.nameOf(c)
	if err != nil {
		return err
	}
	to, overwrite, err := h.destination(c)
	if err != nil {
		return err
	}
	replaced, err := h.store(c).Rename(h.opts.Context, from, to, overwrite)
	if errors.Is(err, storage.ErrExists) && !overwrite {
		return fmt.Errorf("%w: %w", storage.ErrCondition, err)
	}
	if err != nil {
		return err
	}
	if replaced {
		return c.SendStatus(fiber.StatusNoContent)
	}
	links := h.links(c)
	c.Set(fiber.HeaderLocation, links.origin+links.base+filesPath+escape(to))
	c.Status(fiber.StatusCreated)
	return nil
}

// destination reads where a MOVE leads, and whether it may replace what is there.
func (h *Handlers) destination(c *fiber.Ctx) (to storage.Name, overwrite bool, err error) {
	head := &c.Context().Request.Header
	lines := head.PeekAll("Destination")
	if len(lines) != 1 {
		return to, false, fmt.Errorf("%w: %d fields", errDestination, len(lines))
	}
	via := h.Via(c)
	host := via.Host
	if host == "" {
		host = string(head.Host())
	}
	if to, err = parseDestination(string(lines[0]), host, via.Prefix+h.opts.BasePath); err != nil {
		return to, false, err
	}
	if depth := c.Get("Depth"); depth != "" && !strings.EqualFold(depth, "infinity") {
		return to, false, fmt.Errorf("%w: Depth is %.20q", errDestination, depth)
	}
	switch c.Get("Overwrite") {
	case "", "T":
		return to, true, nil
	case "F":
		return to, false, nil
	}
	return to, false, fmt.Errorf("%w: Overwrite is neither T nor F", errDestination)
}

// parseDestination takes a name from a URL, or its path, on the server that goes
// by host and has everything below base (RFC 4918 sections 8.3 and 10.3). Whether
// that is by TLS is not always known here, and means the same.
func parseDestination(field, host, base string) (storage.Name, error) {
	u, err := url.Parse(field)
	if err != nil {
		return storage.Name{}, fmt.Errorf("%w: %w", errDestination, err)
	}
	absolute := u.Scheme == "http" || u.Scheme == "https"
	switch {
	case u.Opaque != "", u.User != nil, u.RawQuery != "", u.ForceQuery, strings.Contains(field, "#"):
		return storage.Name{}, fmt.Errorf("%w: more than a path", errDestination)
	case u.Scheme == "" && u.Host == "" && strings.HasPrefix(u.Path, "/"):
	case !absolute:
		return storage.Name{}, fmt.Errorf("%w: neither a URL nor a path", errDestination)
	case !strings.EqualFold(u.Host, host):
		return storage.Name{}, errElsewhere
	}
	path, ok := strings.CutPrefix(u.EscapedPath(), base+filesPath)
	if !ok {
		return storage.Name{}, errElsewhere
	}
	return nameOfPath(filesPath + path)
}
