package storage

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"

	"github.com/minio/crc64nvme"
)

// The algorithms of digests, by their keys in RFC 9530 fields.
const (
	// CRC64NVME names the digest that every upload gets.
	CRC64NVME = "crc64nvme"
	SHA256    = "sha-256"
	SHA512    = "sha-512"
	SHA1      = "sha"
	MD5       = "md5"
	CRC32     = "crc32" // of IEEE, for tus; RFC 9530 has none
)

// ErrDigest: the content isn't what its sender said of it. It comes as a
// [DigestError].
var ErrDigest = errors.New("digest does not match")

// DigestError is an [ErrDigest] with the two digests.
type DigestError struct{ Expected, Actual Digest }

func (e *DigestError) Error() string {
	return fmt.Sprintf("%v: expected %s, got %s", ErrDigest, e.Expected, e.Actual)
}

func (e *DigestError) Unwrap() error { return ErrDigest }

// Digest is a checksum of a whole content. The zero Digest is "not known".
type Digest struct {
	// Algorithm is the key of RFC 9530 fields, such as "sha-256".
	Algorithm string
	// Sum holds the raw bytes.
	Sum string
}

// NewCRC64NVME makes a Digest of a CRC-64/NVME value, big endian.
func NewCRC64NVME(sum uint64) Digest {
	return Digest{Algorithm: CRC64NVME, Sum: string(binary.BigEndian.AppendUint64(nil, sum))}
}

// NewHash returns the hash behind an algorithm, or nil for one that is none of
// the above.
func NewHash(algorithm string) hash.Hash {
	switch algorithm {
	case CRC64NVME:
		return crc64nvme.New()
	case SHA256:
		return sha256.New()
	case SHA512:
		return sha512.New()
	case SHA1:
		return sha1.New()
	case MD5:
		return md5.New()
	case CRC32:
		return crc32.NewIEEE()
	}
	return nil
}

// IsZero reports whether the digest is not known.
func (d Digest) IsZero() bool { return d.Algorithm == "" }

// String formats the digest as a member of the Repr-Digest field (RFC 9530
// section 3), for example crc64nvme=:AAECAwQFBgc=:, or "" when not known.
func (d Digest) String() string {
	if d.IsZero() {
		return ""
	}
	return d.Algorithm + "=:" + base64.StdEncoding.EncodeToString([]byte(d.Sum)) + ":"
}
