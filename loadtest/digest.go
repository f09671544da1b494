package loadtest

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
)

// digestKey is the algorithm of RFC 9530 digests that is compared here.
const digestKey = "crc64nvme"

// ParseDigest returns the CRC-64/NVME that a Repr-Digest field (RFC 9530)
// states; ok is false if it states none. Other algorithms are passed over.
func ParseDigest(field string) (sum uint64, ok bool, err error) {
	for member := range strings.SplitSeq(field, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(member), "=")
		if key != digestKey {
			continue
		}
		value, _, _ = strings.Cut(value, ";") // parameters have no meaning here
		raw, framed := strings.CutPrefix(strings.TrimSpace(value), ":")
		raw, closed := strings.CutSuffix(raw, ":")
		bytes, err := base64.StdEncoding.Strict().DecodeString(raw)
		if !framed || !closed || err != nil || len(bytes) != 8 {
			return 0, false, fmt.Errorf("parse digest: %q is no CRC-64", value)
		}
		sum, ok = binary.BigEndian.Uint64(bytes), true
	}
	return sum, ok, nil
}

// FormatDigest returns the Repr-Digest field that states sum.
func FormatDigest(sum uint64) string {
	raw := binary.BigEndian.AppendUint64(nil, sum)
	return digestKey + "=:" + base64.StdEncoding.EncodeToString(raw) + ":"
}
