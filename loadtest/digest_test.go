package loadtest_test

import (
	"strings"
	"testing"

	"sluice/loadtest"
)

func TestParseDigest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, field string
		sum         uint64
		ok, wrong   bool
	}{
		{name: "none"},
		{name: "alone", field: "crc64nvme=:AAAAAAAAAAE=:", sum: 1, ok: true},
		{name: "after another", field: "sha-256=:AA==:, crc64nvme=:AQAAAAAAAAA=:", sum: 1 << 56, ok: true},
		{name: "with a parameter", field: "crc64nvme=:AAAAAAAAAAE=:;x=1", sum: 1, ok: true},
		{name: "others only", field: "sha-256=:AA==:,md5=:AA==:"},
		{name: "longer key", field: "xcrc64nvme=:AA==:"},
		{name: "no colons", field: "crc64nvme=AAAAAAAAAAE=", wrong: true},
		{name: "open", field: "crc64nvme=:AAAAAAAAAAE=", wrong: true},
		{name: "too short", field: "crc64nvme=:AAAA:", wrong: true},
		{name: "no base64", field: "crc64nvme=:!!!!!!!!!!!=:", wrong: true},
		{name: "no value", field: "crc64nvme", wrong: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			sum, ok, err := loadtest.ParseDigest(test.field)
			if sum != test.sum || ok != test.ok || (err != nil) != test.wrong {
				t.Errorf("got %x, %v, %v", sum, ok, err)
			}
		})
	}
}

// FuzzParseDigest holds that what parses is what FormatDigest writes, and that
// a digest is found after any other one.
func FuzzParseDigest(f *testing.F) {
	f.Add("crc64nvme=:AAAAAAAAAAE=:", uint64(1))
	f.Add("sha-256=:AA==:, crc64nvme=:AQAAAAAAAAA=:;a=b", uint64(1<<63))
	f.Fuzz(func(t *testing.T, field string, sum uint64) {
		parsed, ok, err := loadtest.ParseDigest(field)
		if ok && !strings.Contains(strings.NewReplacer("\r", "", "\n", "").Replace(field), strings.TrimPrefix(loadtest.FormatDigest(parsed), "crc64nvme=")) {
			t.Errorf("%q gave %s", field, loadtest.FormatDigest(parsed))
		}
		if err != nil {
			return
		}
		if got, ok, err := loadtest.ParseDigest(field + "," + loadtest.FormatDigest(sum)); got != sum || !ok || err != nil {
			t.Errorf("%q and %x gave %x, %v, %v", field, sum, got, ok, err)
		}
	})
}
