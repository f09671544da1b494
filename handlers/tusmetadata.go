package handlers

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// errMetadata: Upload-Metadata isn't what the protocol says.
var errMetadata = errors.New("malformed metadata")

// metadataOf reads the Upload-Metadata of a request (tus 1.0, "Creation"): pairs
// of a key and a value in base64, which may be empty. Nothing is passed over,
// or a file would lose its name unseen; but lists may have blanks and commas
// to spare (RFC 9110 section 5.6.1).
func metadataOf(c *fiber.Ctx) (map[string]string, error) {
	lines := c.Context().Request.Header.PeekAll("Upload-Metadata")
	switch len(lines) {
	case 0:
		return nil, nil
	case 1:
		return parseMetadata(string(lines[0]))
	}
	return nil, fmt.Errorf("%w: %d fields", errMetadata, len(lines))
}

func parseMetadata(list string) (map[string]string, error) {
	metadata := make(map[string]string)
	for element := range strings.SplitSeq(list, ",") {
		if element = strings.Trim(element, " \t"); element == "" {
			continue
		}
		key, encoded, _ := strings.Cut(element, " ")
		if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return nil, fmt.Errorf("%w: key %.40q", errMetadata, key)
		}
		if _, twice := metadata[key]; twice {
			return nil, fmt.Errorf("%w: key %.40q comes twice", errMetadata, key)
		}
		value, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if err != nil {
			return nil, fmt.Errorf("%w: value of %.40q: %w", errMetadata, key, err)
		}
		metadata[key] = string(value)
	}
	return metadata, nil
}
