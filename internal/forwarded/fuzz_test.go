package forwarded_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// FuzzRead: whatever comes, the origin and the prefix make a URL that leads to
// the host that they name, and nowhere else.
func FuzzRead(f *testing.F) {
	f.Add(`for=198.51.100.9;proto=https;host="up.example:8443"`, "", "", "", "")
	f.Add("", "203.0.113.5, 198.51.100.9", "https,http", "up.example", "/up")
	f.Fuzz(func(t *testing.T, standard, sender, proto, host, prefix string) {
		fields := head{}
		for name, value := range map[string]string{
			"Forwarded": standard, "X-Forwarded-For": sender, "X-Forwarded-Proto": proto, "X-Forwarded-Host": host, "X-Forwarded-Prefix": prefix,
		} {
			if value != "" {
				fields[name] = []string{value}
			}
		}
		via := trusted.Read(netip.MustParseAddr("10.0.0.1"), "", "own.example", fields.field)
		if !via.Client.IsValid() || via.Client.Zone() != "" {
			t.Errorf("client %v", via.Client)
		}
		address := via.Origin() + via.Prefix + "/files/a"
		parsed, err := url.Parse(address)
		if err != nil || parsed.Host != via.Host || parsed.Scheme != via.Scheme || parsed.User != nil || parsed.Path != via.Prefix+"/files/a" {
			t.Errorf("%q parses as %+v, %v; of %+v", address, parsed, err, via)
		}
		if via.Origin() == "" && strings.HasPrefix(address, "//") || strings.ContainsAny(address, "\\\r\n\"<> ") {
			t.Errorf("address %q", address)
		}
		stranger := trusted.Read(netip.MustParseAddr("192.0.2.1"), "", "own.example", fields.field)
		if stranger.Client.String() != "192.0.2.1" || stranger.Origin() != "" || stranger.Prefix != "" {
			t.Errorf("a stranger is believed: %+v", stranger)
		}
	})
}
