package handlers

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sluice/storage"
)

// Fields of the checksum extension of tus.
const (
	uploadChecksum    = "Upload-Checksum"
	checksumAlgorithm = "Tus-Checksum-Algorithm"
)

// checksums are the algorithms of the checksum extension, by their names there.
var checksums = []struct{ name, algorithm string }{
	{"sha1", storage.SHA1},
	{"sha256", storage.SHA256},
	{"md5", storage.MD5},
	{"crc32", storage.CRC32},
}

// checksumNames lists the algorithms.
func checksumNames() []string {
	names := make([]string, len(checksums))
	for i, c := range checksums {
		names[i] = c.name
	}
	return names
}

var (
	// errChecksumField: the field is no known algorithm with a sum of its length.
	errChecksumField = errors.New("malformed or unknown checksum")
	// errChecksum: the piece doesn't have the checksum that was sent with it.
	errChecksum = errors.New("checksum mismatch")
)

// parseChecksum reads an Upload-Checksum field: the name of an algorithm and the
// sum in base64. An empty field is the zero Digest.
func parseChecksum(field string) (storage.Digest, error) {
	if field == "" {
		return storage.Digest{}, nil
	}
	name, encoded, _ := strings.Cut(field, " ")
	sum, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return storage.Digest{}, fmt.Errorf("%w: %w", errChecksumField, err)
	}
	for _, c := range checksums {
		if c.name == name && storage.NewHash(c.algorithm).Size() == len(sum) {
			return storage.Digest{Algorithm: c.algorithm, Sum: string(sum)}, nil
		}
	}
	return storage.Digest{}, fmt.Errorf("%w: %.20q of %d bytes", errChecksumField, name, len(sum))
}

// pieceOf is what a request says of the piece that it brings: its checksum, or
// that one will follow in the trailer (RFC 9110 section 6.5).
func pieceOf(c *fiber.Ctx) (storage.Piece, error) {
	digest, err := parseChecksum(c.Get(uploadChecksum))
	if err != nil || !digest.IsZero() || !announced(c.Get(fiber.HeaderTrailer), uploadChecksum) {
		return storage.Piece{Digest: digest}, err
	}
	conn, ok := c.Context().Conn().(interface{ Trailer(name string) string })
	if !ok {
		return storage.Piece{}, nil
	}
	return storage.Piece{Trailer: func() (storage.Digest, error) {
		return parseChecksum(conn.Trailer(uploadChecksum))
	}}, nil
}

// announced tells whether a Trailer field names a field.
func announced(list, field string) bool {
	for name := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(name), field) {
			return true
		}
	}
	return false
}
