package storage

import (
	"encoding/base64"
	"encoding/binary"
)

// CRC64NVME names the digest that every upload gets.
const CRC64NVME = "crc64nvme"

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
