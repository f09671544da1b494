package handlers

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/tus/tusd/v2/pkg/handler"

	"sluice/storage"
)

// The IETF's draft of resumable uploads (draft-ietf-httpbis-resumable-upload)
// changes from version to version; requests say which one they mean.
const (
	draftVersion = "Upload-Draft-Interop-Version"
	// statusResumption is an interim answer that tells where the upload is
	// before its bytes have come.
	statusResumption = 104
)

// draftVersions are those that tusd speaks.
var draftVersions = []string{"3", "4", "5", "6"}

// errDraft: the fields of the draft contradict each other, or lack one.
var errDraft = errors.New("malformed fields of the draft")

// usesDraft tells whether the request speaks the draft, and not tus.
func (h *Handlers) usesDraft(c *fiber.Ctx) bool {
	return h.opts.IETFUploads && slices.Contains(draftVersions, c.Get(draftVersion))
}

// completes tells whether the request brings the last piece. Version 3 told the
// opposite.
func completes(c *fiber.Ctx) (bool, error) {
	name, yes, no := "Upload-Complete", "?1", "?0"
	if c.Get(draftVersion) == "3" {
		name, yes, no = "Upload-Incomplete", "?0", "?1"
	}
	switch value := c.Get(name); value {
	case yes:
		return true, nil
	case no:
		return false, nil
	default:
		return false, fmt.Errorf("%w: %s is %.20q", errDraft, name, value)
	}
}

// setIncomplete tells that more is to come.
func setIncomplete(header http.Header, version string) {
	if version == "3" {
		header.Set("Upload-Incomplete", "?1")
		return
	}
	header.Set("Upload-Complete", "?0")
}

// checkDraftCreation refuses an upload whose file could not be stored, and what
// tusd doesn't check.
func (h *Handlers) checkDraftCreation(c *fiber.Ctx) error {
	isWhole, err := completes(c)
	if err != nil {
		return err
	}
	content := declaredLength(c.Context())
	size, err := draftLength(c)
	if err != nil {
		return err
	}
	switch {
	case size != storage.UnknownSize && (content > size || isWhole && content != storage.UnknownSize && content != size):
		return fmt.Errorf("%w: %d bytes of %d", errDraft, content, size)
	case size == storage.UnknownSize && isWhole:
		size = content
	}
	name, err := draftName(c)
	if err != nil {
		return err
	}
	return h.checkNew(c, name, max(size, content), nil)
}

// draftLength is the Upload-Length of a request, or storage.UnknownSize.
func draftLength(c *fiber.Ctx) (int64, error) {
	field := c.Get("Upload-Length")
	if field == "" {
		return storage.UnknownSize, nil
	}
	size, err := strconv.ParseInt(field, 10, 64)
	if err != nil || size < 0 {
		return 0, tusErrorOf(handler.ErrInvalidUploadLength)
	}
	return size, nil
}

// draftName is the name that a request has for its file (RFC 6266). What tusd
// can't read would be its own fault, to it.
func draftName(c *fiber.Ctx) (storage.Name, error) {
	if kind := c.Get(fiber.HeaderContentType); kind != "" {
		if _, _, err := mime.ParseMediaType(kind); err != nil {
			return storage.Name{}, fmt.Errorf("%w: Content-Type: %w", errDraft, err)
		}
	}
	disposition := c.Get(fiber.HeaderContentDisposition)
	if disposition == "" {
		return storage.Name{}, nil
	}
	_, values, err := mime.ParseMediaType(disposition)
	if err != nil {
		return storage.Name{}, fmt.Errorf("%w: Content-Disposition: %w", errDraft, err)
	}
	return tusName(map[string]string{"filename": values["filename"]})
}

// checkDraftPiece refuses a last piece that leaves something out.
func checkDraftPiece(c *fiber.Ctx, info storage.ResumableInfo, offset int64) error {
	isLast, err := completes(c)
	if err != nil {
		return err
	}
	content := declaredLength(c.Context())
	if isLast && !info.Finished && info.Size != storage.UnknownSize && content != storage.UnknownSize && offset+content != info.Size {
		return fmt.Errorf("%w: the last piece ends at %d of %d", errDraft, offset+content, info.Size)
	}
	return nil
}

// inform sends the interim answer of the draft, so that the client can resume
// what is cut off before the final one. Whether it arrives is nobody's loss.
func (h *Handlers) inform(c *fiber.Ctx, header http.Header) {
	// Without content nothing can be cut off, and answers to earlier requests
	// may still be on their way.
	if !c.Context().Request.Header.IsHTTP11() || declaredLength(c.Context()) == 0 {
		return
	}
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 %d Upload Resumption Supported\r\n", statusResumption)
	for _, name := range []string{draftVersion, fiber.HeaderLocation, "Upload-Limit"} {
		value := header.Get(name)
		if name == fiber.HeaderLocation {
			value = h.links(c).upload(value)
		}
		head.WriteString(name + ": " + value + "\r\n")
	}
	head.WriteString("\r\n")
	if err := c.Context().SetWriteDeadline(time.Now().Add(h.limits().IdleTimeout)); err != nil {
		return
	}
	_, _ = c.Context().Conn().Write([]byte(head.String()))
}
