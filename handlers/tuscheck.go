package handlers

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/tus/tusd/v2/pkg/handler"

	"sluice/storage"
)

// pieceType is the type of a request's body that is a piece of an upload.
const pieceType = "application/offset+octet-stream"

// tusMethod is the method that a request means: some clients can only send POST
// and name the other one in a field (tus 1.0, "X-HTTP-Method-Override").
func tusMethod(c *fiber.Ctx) string {
	if override := c.Get("X-HTTP-Method-Override"); override != "" && c.Method() == fiber.MethodPost {
		return override
	}
	return c.Method()
}

// CheckTus refuses what can be refused from the head of a request below /tus/.
func (h *Handlers) CheckTus(c *fiber.Ctx) error {
	err := h.checkTus(c)
	if err == nil {
		return nil
	}
	c.Set("Tus-Resumable", tusVersion) // as each of the protocol's answers has it
	if problemOf(err).Status == fiber.StatusPreconditionFailed {
		c.Set("Tus-Version", tusVersion)
	}
	return err
}

func (h *Handlers) checkTus(c *fiber.Ctx) error {
	if err := requestCoding(c); err != nil {
		return err
	}
	if _, err := pieceOf(c); err != nil {
		return err
	}
	method := tusMethod(c)
	if strings.Contains(tusID(c), "/") && method != fiber.MethodOptions {
		return storage.ErrNotFound // tusd would trim it
	}
	switch method {
	case fiber.MethodPost, fiber.MethodPatch, fiber.MethodDelete:
		if c.Get("Tus-Resumable") != tusVersion {
			return tusErrorOf(handler.ErrUnsupportedVersion)
		}
	}
	switch method {
	case fiber.MethodPost:
		return h.checkCreation(c)
	case fiber.MethodPatch:
		return h.checkPatch(c)
	}
	return nil
}

// checkPatch refuses a piece that the upload can't take.
func (h *Handlers) checkPatch(c *fiber.Ctx) error {
	if c.Get(fiber.HeaderContentType) != pieceType {
		return tusErrorOf(handler.ErrInvalidContentType)
	}
	offset, err := strconv.ParseInt(c.Get("Upload-Offset"), 10, 64)
	if err != nil || offset < 0 {
		return tusErrorOf(handler.ErrInvalidOffset)
	}
	upload, err := h.resume(tusID(c))
	if err != nil {
		return err
	}
	if info := upload.Info(); info.Offset != offset && !info.Finished {
		return tusErrorOf(handler.ErrMismatchOffset)
	}
	return h.crowd.check(clientOf(c))
}

// checkCreation refuses an upload whose file could not be stored.
func (h *Handlers) checkCreation(c *fiber.Ctx) error {
	name, err := tusName(handler.ParseMetadataHeader(c.Get("Upload-Metadata")))
	if err != nil {
		return err
	}
	if !name.IsRoot() {
		if err := h.opts.Store.Check(name, nil); err != nil {
			return err
		}
	}
	size, err := strconv.ParseInt(c.Get("Upload-Length"), 10, 64)
	if err != nil {
		size = storage.UnknownSize // or one that the protocol itself refuses
	}
	return h.checkSize(size)
}
