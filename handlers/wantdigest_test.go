package handlers

import (
	"testing"

	"sluice/storage"
)

func TestRefuses(t *testing.T) {
	t.Parallel()
	digest := storage.NewCRC64NVME(1)
	for field, want := range map[string]bool{
		"":                               false,
		"crc64nvme=10":                   false,
		"crc64nvme":                      false,
		"sha-256=10":                     false,
		"sha-256=10, crc64nvme=3":        false,
		"crc64nvme=0":                    true,
		"sha-256=10, crc64nvme=0":        true,
		"crc64nvme=0, crc64nvme=1":       false, // the last one counts (RFC 9651 section 3.2)
		"crc64nvme=0;q=1":                true,
		"crc64nvme=0.0":                  false,
		"crc64nvme=(0)":                  false,
		"crc64nvme=:AAAA:":               false,
		"CRC64NVME=0":                    false, // malformed: keys are lower case
		"crc64nvme=0,":                   false, // malformed
		"crc64nvme=0 sha-256=1":          false, // malformed
		"crc64nvme=99999999999999999999": false, // malformed
	} {
		if got := refuses(field, digest); got != want {
			t.Errorf("%q refuses: %t, want %t", field, got, want)
		}
	}
}
