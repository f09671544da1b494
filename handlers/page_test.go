package handlers

import (
	"testing"

	"sluice/web"
)

func TestCodingOf(t *testing.T) {
	t.Parallel()
	both := web.Asset{Content: []byte("plain"), Brotli: []byte("br"), Gzip: []byte("gzip")}
	for _, test := range []struct {
		accept, coding string
		asset          web.Asset
	}{
		{"gzip, deflate, br, zstd", "br", both},
		{"GZIP", "gzip", both},
		{"br;q=0, gzip;q=0.5", "gzip", both},
		{"br;q=0.0,gzip; q=0", "", both},
		{"br;q=x", "", both},
		{"brotli", "", both},
		{"", "", both},
		{"identity", "", both},
		{"br", "", web.Asset{Content: []byte("plain")}},
	} {
		content, coding := codingOf(test.asset, test.accept)
		if coding != test.coding || coding != "" && string(content) != coding || coding == "" && string(content) != "plain" {
			t.Errorf("%q: %q, %q, want %q", test.accept, coding, content, test.coding)
		}
	}
}
