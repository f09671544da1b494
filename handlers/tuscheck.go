package handlers

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/tus/tusd/v2/pkg/handler"

	"sluice/internal/transfer"
	"sluice/storage"
)

// pieceType is the type of a request's body that is a piece of an upload.
const pieceType = "application/offset+octet-stream"

// errOverride: a field names a method that it can't stand for.
var errOverride = errors.New("method can't be overridden")

// tusMethod is the method that a request means: some clients can only send POST
// and name the other one in a field (tus 1.0, "X-HTTP-Method-Override").
func tusMethod(c *fiber.Ctx) string {
	if override := c.Get("X-HTTP-Method-Override"); override != "" && c.Method() == fiber.MethodPost {
		return override
	}
	return c.Method()
}

// checkOverride refuses what tusd would take as it comes, to answer in its own
// words. Methods are in capitals (RFC 9110 section 9.1).
func checkOverride(c *fiber.Ctx) error {
	switch method := tusMethod(c); method {
	case c.Method(), fiber.MethodPatch, fiber.MethodDelete, fiber.MethodHead:
		return nil
	default:
		return fmt.Errorf("%w by %.20q", errOverride, method)
	}
}

// CheckTus refuses what can be refused from the head of a request below /tus/.
func (h *Handlers) CheckTus(c *fiber.Ctx) error {
	err := h.checkTus(c)
	if err == nil {
		return nil
	}
	if h.usesDraft(c) {
		return err
	}
	c.Set("Tus-Resumable", tusVersion) // as each of the protocol's answers has it
	if problemOf(err).Status == fiber.StatusPreconditionFailed {
		c.Set("Tus-Version", tusVersion)
	}
	return err
}

func (h *Handlers) checkTus(c *fiber.Ctx) error {
	if err := checkOverride(c); err != nil {
		return err
	}
	if err := requestCoding(c); err != nil {
		return err
	}
	if _, err := pieceOf(c); err != nil {
		return err
	}
	method := tusMethod(c)
	if strings.Contains(h.tusID(c), "/") && method != fiber.MethodOptions {
		return storage.ErrNotFound // tusd would trim it
	}
	if method == fiber.MethodPost || method == fiber.MethodPatch {
		if err := h.checkDrain(); err != nil {
			return err
		}
	}
	switch method {
	case fiber.MethodPost, fiber.MethodPatch, fiber.MethodDelete:
		if c.Get("Tus-Resumable") != tusVersion && !h.usesDraft(c) {
			return tusErrorOf(handler.ErrUnsupportedVersion)
		}
	}
	switch {
	case method == fiber.MethodPost && h.usesDraft(c):
		return h.checkDraftCreation(c)
	case method == fiber.MethodPost:
		return h.checkCreation(c)
	case method == fiber.MethodPatch:
		return h.checkPatch(c)
	}
	return nil
}

// checkPatch refuses a piece that the upload can't take.
func (h *Handlers) checkPatch(c *fiber.Ctx) error {
	if !h.isPiece(c) {
		return tusErrorOf(handler.ErrInvalidContentType)
	}
	offset, err := strconv.ParseInt(c.Get("Upload-Offset"), 10, 64)
	if err != nil || offset < 0 {
		return tusErrorOf(handler.ErrInvalidOffset)
	}
	upload, err := h.resume(h.opts.Context, h.store(c), h.tusID(c))
	if err != nil {
		return err
	}
	info := upload.Info()
	if info.Offset != offset && !info.Finished {
		// The draft wants it told; tus clients don't mind.
		c.Set("Upload-Offset", strconv.FormatInt(info.Offset, 10))
		return tusErrorOf(handler.ErrMismatchOffset)
	}
	if h.usesDraft(c) {
		if err := checkDraftPiece(c, info, offset); err != nil {
			return err
		}
	}
	if length, store := declaredLength(c.Context()), h.store(c); store.tooLarge(offset+length) || store.tooLarge(lengthOf(c)) {
		return ErrTooLarge
	}
	return h.crowd.check(h.clientOf(c))
}

// isPiece tells whether the request's content is of the type of a piece. The
// draft has had one of its own since version 6.
func (h *Handlers) isPiece(c *fiber.Ctx) bool {
	kind := c.Get(fiber.HeaderContentType)
	if h.usesDraft(c) {
		return c.Get(draftVersion) != "6" || kind == "application/partial-upload"
	}
	return kind == pieceType
}

// TusNames is the name that a request for a new upload has for its file, for
// [Access]; none where it has none, or isn't for a file of its own.
func (h *Handlers) TusNames(c *fiber.Ctx) ([]storage.Name, error) {
	if tusMethod(c) != fiber.MethodPost || c.Get(uploadConcat) == "partial" {
		return nil, nil
	}
	if h.usesDraft(c) {
		name, err := draftName(c)
		return []storage.Name{name}, err
	}
	metadata, err := metadataOf(c)
	if err != nil {
		return nil, err
	}
	name, err := tusName(metadata)
	return []storage.Name{name}, err
}

// checkCreation refuses an upload whose file could not be stored, or isn't wanted.
func (h *Handlers) checkCreation(c *fiber.Ctx) error {
	metadata, err := metadataOf(c)
	if err != nil {
		return err
	}
	name, err := tusName(metadata)
	if err != nil {
		return err
	}
	size := lengthOf(c)
	if c.Get(fiber.HeaderContentType) == pieceType {
		size = max(size, declaredLength(c.Context())) // all that tusd looks at is the size, if there is one
	}
	return h.checkNew(c, name, size, metadata)
}

// lengthOf is the Upload-Length of a request. What is none the protocol itself
// refuses where it matters.
func lengthOf(c *fiber.Ctx) int64 {
	size, err := strconv.ParseInt(c.Get("Upload-Length"), 10, 64)
	if err != nil {
		return storage.UnknownSize
	}
	return size
}

// checkNew refuses an upload by its file's name, which is the root's where it
// has none, or size, or because it isn't wanted.
func (h *Handlers) checkNew(c *fiber.Ctx, name storage.Name, size int64, metadata map[string]string) error {
	if !name.IsRoot() {
		if err := h.store(c).Check(name, nil); err != nil {
			return err
		}
	}
	if err := h.store(c).CheckSpace(size); err != nil {
		return err
	}
	return h.ask(c, transfer.ProtocolTus, name, size, metadata)
}
