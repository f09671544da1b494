package handlers

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"sluice/storage"
)

// uploadConcat names the parts of an upload (tus 1.0, "Concatenation").
const uploadConcat = "Upload-Concat"

// errExpired: nothing has happened to the upload for too long.
var errExpired = errors.New("upload expired")

// tusID is the id of the upload that a request's path names.
func (h *Handlers) tusID(c *fiber.Ctx) string {
	id, _ := strings.CutPrefix(c.Path(), h.opts.BasePath+tusPath)
	return strings.Clone(id)
}

// resume finds an upload that hasn't expired. One that has may still be on the
// disk.
func (h *Handlers) resume(ctx context.Context, store storage.Store, id string) (storage.Resumable, error) {
	r, err := store.Resume(ctx, id)
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
	expiry := h.limits().UploadExpiry
	if expiry == 0 {
		return time.Time{}
	}
	return r.Info().Changed.Add(expiry)
}

// amend adds to the protocol's answer what its handler knows nothing of: URLs
// that are right behind every proxy (RFC 9110 section 10.2.2), the extensions
// checksum and expiration, and what they say.
func (h *Handlers) amend(c *fiber.Ctx, header http.Header, call *tusCall) {
	links := h.links(c)
	if location := header.Get(fiber.HeaderLocation); location != "" {
		header.Set(fiber.HeaderLocation, links.upload(location))
	}
	if parts, isFinal := strings.CutPrefix(header.Get(uploadConcat), "final;"); isFinal {
		urls := strings.Fields(parts)
		for i := range urls {
			urls[i] = links.upload(urls[i])
		}
		header.Set(uploadConcat, "final;"+strings.Join(urls, " "))
	}
	if extensions := header.Get("Tus-Extension"); extensions != "" {
		extensions += ",checksum,checksum-trailer"
		if h.limits().UploadExpiry > 0 {
			extensions += ",expiration"
		}
		header.Set("Tus-Extension", extensions)
		header.Set(checksumAlgorithm, strings.Join(checksumNames(), ","))
	}
	if call.resumable == nil || call.drops {
		return
	}
	if h.usesDraft(c) && !call.isWhole() {
		setIncomplete(header, c.Get(draftVersion))
	}
	if expires := h.expires(call.resumable); !expires.IsZero() {
		header.Set("Upload-Expires", expires.UTC().Format(http.TimeFormat))
	}
}

// query is what stands behind the path of a URL, in a list of them.
var query = regexp.MustCompile(`\?[^\s]*`)

// plainParts takes off the URLs of parts what a proxy has put before their paths,
// and what a link has put behind: tusd looks for the first that resembles its own
// path, and takes all behind that for an id.
func (h *Handlers) plainParts(c *fiber.Ctx) {
	parts, found := strings.CutPrefix(c.Get(uploadConcat), "final;")
	if !found {
		return
	}
	prefix, own := h.Via(c).Prefix, h.opts.BasePath+tusPath
	if prefix != "" {
		parts = strings.ReplaceAll(parts, prefix+own, own)
	}
	c.Request().Header.Set(uploadConcat, "final;"+query.ReplaceAllString(parts, ""))
}

// TusContent answers GET of an upload that is finished with the file that it
// has become, as long as that is what stands under its name. Unlike the
// protocol's own requests it waits for no other and stops none.
func (h *Handlers) TusContent(c *fiber.Ctx) error {
	r, err := h.resume(h.opts.Context, h.store(c), h.tusID(c))
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
	object, err := h.store(c).Open(h.opts.Context, published.Name)
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
