package handlers

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dunglas/httpsfv"
	"github.com/gofiber/fiber/v2"

	"sluice/storage"
)

// The fields in which a sender says what digest its content has: RFC 9530, and
// RFC 1864 before it.
const (
	reprDigest    = "Repr-Digest"
	contentDigest = "Content-Digest"
	contentMD5    = "Content-Md5" // as textproto spells it
)

var (
	// errDigestField: a digest field breaks its grammar, or a digest has another
	// length than its algorithm's.
	errDigestField = errors.New("malformed digest field")
	// errDigestUnknown: there are digests, but none that could be checked.
	errDigestUnknown = errors.New("no digest of a known algorithm")
)

// putDigests are the digests that a request names for its body. Content that
// is stored as it comes, whole and without a coding, is the representation, so
// that Repr-Digest and Content-Digest say the same (RFC 9530 section 3.1).
func putDigests(c *fiber.Ctx) ([]storage.Digest, error) {
	return expectedDigests(func(field string) []string {
		var lines []string
		for _, line := range c.Request().Header.PeekAll(field) {
			lines = append(lines, string(line))
		}
		return lines
	})
}

// expectedDigests reads the digests that a header names. Algorithms that the
// store doesn't know are passed over, as long as there is one that it does.
func expectedDigests(lines func(field string) []string) ([]storage.Digest, error) {
	var found []storage.Digest
	unknown := false
	for _, field := range []string{reprDigest, contentDigest} {
		named, err := parseDigests(lines(field))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
		for _, d := range named {
			hash := storage.NewHash(d.Algorithm)
			if hash == nil {
				unknown = true
				continue
			}
			if len(d.Sum) != hash.Size() {
				return nil, fmt.Errorf("%s: %w: %s of %d bytes", field, errDigestField, d.Algorithm, len(d.Sum))
			}
			found = append(found, d)
		}
	}
	for _, line := range lines(contentMD5) {
		sum, err := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
		if err != nil || len(sum) != storage.NewHash(storage.MD5).Size() {
			return nil, fmt.Errorf("%s: %w", contentMD5, errDigestField)
		}
		found = append(found, storage.Digest{Algorithm: storage.MD5, Sum: string(sum)})
	}
	if unknown && len(found) == 0 {
		return nil, errDigestUnknown
	}
	return found, nil
}

// parseDigests reads a Dictionary of Byte Sequences (RFC 9651 section 3.2).
func parseDigests(lines []string) ([]storage.Digest, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	members, err := httpsfv.UnmarshalDictionary(lines)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDigestField, err)
	}
	var found []storage.Digest
	for _, algorithm := range members.Names() {
		member, _ := members.Get(algorithm)
		item, _ := member.(httpsfv.Item)
		sum, ok := item.Value.([]byte)
		if !ok {
			return nil, fmt.Errorf("%w: %s is no byte sequence", errDigestField, algorithm)
		}
		found = append(found, storage.Digest{Algorithm: algorithm, Sum: string(sum)})
	}
	return found, nil
}

// digestField is the value of Repr-Digest for a stored file: its own digest and
// those that its sender has named, which have been checked.
func digestField(info storage.Info, checked []storage.Digest) string {
	var members []string
	for _, d := range append([]storage.Digest{info.Digest}, checked...) {
		if text := d.String(); text != "" && !slices.Contains(members, text) {
			members = append(members, text)
		}
	}
	return strings.Join(members, ", ")
}
