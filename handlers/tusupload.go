package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"sluice/storage"
)

// errExpired: nothing has happened to the upload for too long.
var errExpired = errors.New("upload expired")

// tusID is the id of the upload that a request's path names.
func tusID(c *fiber.Ctx) string {
	id, _ := strings.CutPrefix(c.Path(), tusPath)
	return strings.Clone(id)
}

// resume finds an upload that hasn't expired. One that has may still be on the
// disk.
func (h *Handlers) resume(ctx context.Context, id string) (storage.Resumable, error) {
	r, err := h.opts.Store.Resume(ctx, id)
	if err != nil {
		return nil, err
	}
	if expires := h.expires(r); !expires.IsZero() && time.Now().After(expires) {
		return nil, errExpired
	}
	return r, nil
}

// expires is when the upload ends if nothing happens to it; the zero time is
// never.
func (h *Handlers) expires(r storage.Resumable) time.Time {
	if h.opts.UploadExpiry == 0 {
		return time.Time{}
	}
	return r.Info().Changed.Add(h.opts.UploadExpiry)
}

// amend adds to the protocol's answer what its handler knows nothing of: URLs
// without scheme and host, which are right behind every proxy (RFC 9110 section
// 10.2.2), the extensions checksum and expiration, and what they say.
func (h *Handlers) amend(header http.Header, call *tusCall) {
	if location := header.Get(fiber.HeaderLocation); location != "" {
		header.Set(fiber.HeaderLocation, pathOf(location))
	}
	if parts, isFinal := strings.CutPrefix(header.Get("Upload-Concat"), "final;"); isFinal {
		urls := strings.Fields(parts)
		for i := range urls {
			urls[i] = pathOf(urls[i])
		}
		header.Set("Upload-Concat", "final;"+strings.Join(urls, " "))
	}
	if extensions := header.Get("Tus-Extension"); extensions != "" {
		extensions += ",checksum,checksum-trailer"
		if h.opts.UploadExpiry > 0 {
			extensions += ",expiration"
		}
		header.Set("Tus-Extension", extensions)
		header.Set(checksumAlgorithm, checksumNames())
	}
	if call.resumable == nil || call.drops {
		return
	}
	if expires := h.expires(call.resumable); !expires.IsZero() {
		header.Set("Upload-Expires", expires.UTC().Format(http.TimeFormat))
	}
}

// pathOf is the path of a URL, or the URL itself where it can't be read.
func pathOf(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return location
	}
	return u.EscapedPath()
}

// TusContent answers GET of an upload that is finished with the file that it
// has become, as long as that is what stands under its name. Unlike the
// protocol's own requests it waits for no other and stops none.
func (h *Handlers) TusContent(c *fiber.Ctx) error {
	r, err := h.resume(h.opts.Context, tusID(c))
	if err != nil {
		return err
	}
	if !r.Info().Finished {
		return storage.ErrIncomplete
	}
	published, err := r.Finish(h.opts.Context)
	if err != nil {
		return err
	}
	object, err := h.opts.Store.Open(h.opts.Context, published.Name)
	if err != nil {
		return err
	}
	if digest := object.Info().Digest; !digest.IsZero() && digest != published.Digest {
		err = storage.ErrNotFound // the name has gone to another file
	} else {
		err = h.serve(c, object)
	}
	if err != nil {
		h.closeObject(object)
	}
	return err
}
