package handlers

import (
	"github.com/gofiber/fiber/v2"

	"sluice/internal/auth"
	"sluice/internal/multipart"
	"sluice/storage"
)

// info is what a client may want to know before it sends anything. Sizes are in
// bytes; 0 is no limit.
type info struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Base is the path below which everything stands, as the client sees it.
	Base   string     `json:"base"`
	Limits infoLimits `json:"limits"`
	// Protocols are the ways in: put, form, tus, and ietf for the draft.
	Protocols []string `json:"protocols"`
	// Digests can be checked with an upload (RFC 9530), Checksums with a piece
	// of one (tus).
	Digests   []string `json:"digests"`
	Checksums []string `json:"checksums"`
	// OnConflict is what becomes of an upload whose name is taken: overwrite,
	// reject or rename.
	OnConflict string `json:"on_conflict"`
	// Free is what uploads may still take, for those who may know.
	Free *int64 `json:"free,omitempty"`
	// Links tells that the client can have links signed for others.
	Links bool `json:"links"`
	You   You  `json:"you"`
}

type infoLimits struct {
	// UploadSize bounds a file, and the files of a form together.
	UploadSize int64 `json:"upload_size"`
	FormParts  int   `json:"form_parts"`
	// NameBytes bounds a segment of a path.
	NameBytes int `json:"name_bytes"`
	// Listed is the most that a listing tells of.
	Listed int `json:"listed"`
	// UploadExpiry is how many seconds an upload that isn't finished is kept.
	UploadExpiry int64 `json:"upload_expiry_seconds"`
}

// Info tells what the server is, what it takes, and what the client may do.
func (h *Handlers) Info(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	limits := h.limits()
	answer := info{
		Name:    "sluice",
		Version: h.opts.Version,
		Base:    h.links(c).base,
		Limits: infoLimits{
			UploadSize:   limits.MaxUploadSize,
			FormParts:    multipart.Limits{}.WithDefaults().Parts,
			NameBytes:    storage.MaxSegment,
			Listed:       maxListed,
			UploadExpiry: int64(limits.UploadExpiry.Seconds()),
		},
		Protocols:  []string{"put", "form", "tus"},
		Digests:    []string{storage.CRC64NVME, storage.SHA256, storage.SHA512, storage.MD5},
		Checksums:  checksumNames(),
		OnConflict: h.opts.OnConflict,
		Links:      h.opts.Auth.CanSign(caller(c)),
		You:        h.You(c),
	}
	if h.opts.IETFUploads {
		answer.Protocols = append(answer.Protocols, "ietf")
	}
	if free, known := h.opts.Free(); known && caller(c).Scopes.HasAny(auth.Write|auth.Admin) {
		answer.Free = &free
	}
	return c.JSON(answer)
}
