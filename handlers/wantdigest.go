package handlers

import (
	"github.com/dunglas/httpsfv"
	"github.com/gofiber/fiber/v2"

	"sluice/storage"
)

// Fields in which a client says which digests it wants (RFC 9530).
const (
	wantReprDigest    = "Want-Repr-Digest"
	wantContentDigest = "Want-Content-Digest"
)

// setDigests tells the digest of the file where it is known, and where the
// answer's content is the whole file, that of the content too (RFC 9530
// sections 2 and 3). A client that names other algorithms gets this one all the
// same; only one that refuses it doesn't.
func setDigests(c *fiber.Ctx, info storage.Info, whole bool) {
	if info.Digest.IsZero() {
		return
	}
	head := fieldOf(c)
	if !refuses(head(wantReprDigest), info.Digest) {
		c.Set(reprDigest, info.Digest.String())
	}
	if whole && !refuses(head(wantContentDigest), info.Digest) {
		c.Set(contentDigest, info.Digest.String())
	}
}

// refuses reports whether a Want-Repr-Digest or Want-Content-Digest field gives
// the digest's algorithm the weight 0 (RFC 9530 section 4).
func refuses(field string, digest storage.Digest) bool {
	if field == "" {
		return false
	}
	wanted, err := httpsfv.UnmarshalDictionary([]string{field})
	if err != nil {
		return false // fields that can't be parsed are ignored (RFC 9651 section 4.2)
	}
	member, _ := wanted.Get(digest.Algorithm)
	item, ok := member.(httpsfv.Item)
	return ok && item.Value == int64(0)
}
