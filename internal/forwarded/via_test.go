package forwarded_test

import (
	"net/netip"
	"testing"

	"sluice/internal/forwarded"
)

var trusted = forwarded.Proxies{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("127.0.0.1/32"),
}

// head is the fields of a request.
type head map[string][]string

func (h head) field(name string) []string { return h[name] }

func forwardedBy(lines ...string) head { return head{"Forwarded": lines} }

func older(sender, proto, host string) head {
	h := head{}
	for name, value := range map[string]string{"X-Forwarded-For": sender, "X-Forwarded-Proto": proto, "X-Forwarded-Host": host} {
		if value != "" {
			h[name] = []string{value}
		}
	}
	return h
}

func TestRead(t *testing.T) {
	t.Parallel()
	const peer = "10.0.0.1"
	for _, test := range []struct {
		name   string
		peer   string
		head   head
		client string
		origin string
	}{
		{"nothing", peer, head{}, peer, ""},
		{"stranger", "192.0.2.1", older("198.51.100.9", "https", "evil.example"), "192.0.2.1", ""},
		{"stranger's Forwarded", "192.0.2.1", forwardedBy("for=198.51.100.9;proto=https;host=evil.example"), "192.0.2.1", ""},
		{"mapped peer", "::ffff:10.0.0.1", older("198.51.100.9", "", ""), "198.51.100.9", ""},

		{"older", peer, older("198.51.100.9", "https", "up.example"), "198.51.100.9", "https://up.example"},
		{"without client", peer, older("", "https", "up.example"), peer, "https://up.example"},
		{"without host", peer, older("198.51.100.9", "https", ""), "198.51.100.9", "https://own.example:8080"},
		{"without scheme", peer, older("198.51.100.9", "", "up.example"), "198.51.100.9", ""},
		{"capitals", peer, older("", "HTTPS", "UP.Example"), peer, "https://up.example"},
		{"port", peer, older("", "http", "up.example:8080"), peer, "http://up.example:8080"},
		{"own port", peer, older("", "https", "up.example:443"), peer, "https://up.example"},
		{"other scheme's port", peer, older("", "http", "up.example:443"), peer, "http://up.example:443"},
		{"IPv6", peer, older("2001:db8::1", "https", "[2001:db8::2]:8443"), "2001:db8::1", "https://[2001:db8::2]:8443"},
		{"client with port", peer, older("198.51.100.9:4711", "", ""), "198.51.100.9", ""},
		{"IPv6 client with port", peer, older("[2001:db8::1]:4711", "", ""), "2001:db8::1", ""},

		{"spoofed before", peer, older("203.0.113.5, 198.51.100.9", "", ""), "198.51.100.9", ""},
		{"two proxies", peer, older("203.0.113.5, 198.51.100.9, 10.2.3.4", "", ""), "198.51.100.9", ""},
		{"proxies alone", peer, older("10.9.9.9, 10.2.3.4", "", ""), "10.9.9.9", ""},
		{"no address", peer, older("198.51.100.9, unknown", "", ""), peer, ""},
		{"no address behind a proxy", peer, older("198.51.100.9, evil, 10.2.3.4", "", ""), "10.2.3.4", ""},
		{"empty item", peer, older("198.51.100.9, ", "", ""), peer, ""},
		{"several lines", peer, head{"X-Forwarded-For": {"203.0.113.5", "198.51.100.9, 10.2.3.4"}}, "198.51.100.9", ""},

		{"nearest of two schemes", peer, older("", "https,http", "up.example"), peer, "http://up.example"},
		{"farther of two schemes", peer, older("198.51.100.9, 10.2.3.4", "https, http", "up.example"), "198.51.100.9", "https://up.example"},
		{"spoofed before the schemes", peer, older("1.1.1.1, 198.51.100.9, 10.2.3.4", "gopher, https, http", "up.example"), "198.51.100.9", "https://up.example"},
		{"too few schemes", peer, older("198.51.100.9, 10.2.3.4, 10.2.3.5", "https, http", "up.example"), "198.51.100.9", ""},
		{"script for a scheme", peer, older("", "javascript", "up.example"), peer, ""},
		{"host with a path", peer, older("", "https", "evil.example/x?"), peer, ""},
		{"host with a query", peer, older("", "https", "evil.example?"), peer, ""},
		{"host with a user", peer, older("", "https", "up.example@evil.example"), peer, ""},
		{"host with a fragment", peer, older("", "https", "evil.example#"), peer, ""},
		{"host with a backslash", peer, older("", "https", `evil.example\@up.example`), peer, ""},
		{"host with an escape", peer, older("", "https", "up%2eexample"), peer, ""},
		{"host with a blank", peer, older("", "https", "up example"), peer, ""},
		{"host of two", peer, older("", "https", "up.example:80:90"), peer, ""},
		{"port out of range", peer, older("", "https", "up.example:65536"), peer, ""},
		{"port zero", peer, older("", "https", "up.example:0"), peer, ""},
		{"port missing", peer, older("", "https", "up.example:"), peer, ""},
		{"zone", peer, older("", "https", "[fe80::1%25eth0]"), peer, ""},
		{"brackets around a name", peer, older("", "https", "[up.example]"), peer, ""},
		{"no host but a port", peer, older("", "https", ":443"), peer, ""},
		{"empty label", peer, older("", "https", "up..example"), peer, ""},
		{"beyond ASCII", peer, older("", "https", "üp.example"), peer, ""},

		{"Forwarded", peer, forwardedBy(`for=198.51.100.9;proto=https;host="up.example:8443"`), "198.51.100.9", "https://up.example:8443"},
		{"Forwarded in other words", peer, forwardedBy(` For="[2001:db8::1]:4711" ; PROTO=https;by=_x; ;host=up.example `), "2001:db8::1", "https://up.example"},
		{"Forwarded of two proxies", peer, forwardedBy("for=203.0.113.5;host=evil.example, for=198.51.100.9;proto=https;host=up.example, for=10.2.3.4;proto=http;host=inner"),
			"198.51.100.9", "https://up.example"},
		{"Forwarded in two lines", peer, forwardedBy("for=198.51.100.9;proto=https;host=up.example", "for=10.2.3.4"), "198.51.100.9", "https://up.example"},
		{"Forwarded of a hidden client", peer, forwardedBy("for=1.1.1.1, for=_hidden;proto=https;host=up.example"), peer, "https://up.example"},
		{"Forwarded of an unknown client", peer, forwardedBy("for=unknown"), peer, ""},
		{"Forwarded with a hidden port", peer, forwardedBy(`for="198.51.100.9:_gazonk"`), "198.51.100.9", ""},
		{"escaped quote", peer, forwardedBy(`for=198.51.100.9;proto=https;host="up\.example"`), "198.51.100.9", "https://up.example"},
		{"empty elements", peer, forwardedBy(", ,for=198.51.100.9,"), "198.51.100.9", ""},
		{"twice", peer, forwardedBy("for=198.51.100.9;for=203.0.113.5"), peer, ""},
		{"no value", peer, forwardedBy("for=198.51.100.9;proto"), peer, ""},
		{"open quote", peer, forwardedBy(`for="198.51.100.9`), peer, ""},
		{"open escape", peer, forwardedBy(`for="198.51.100.9\`), peer, ""},
		{"port without quotes", peer, forwardedBy("for=198.51.100.9:80"), peer, ""},
		{"blank around =", peer, forwardedBy("for = 198.51.100.9"), peer, ""},
		{"injected element", peer, forwardedBy(`for="1.1.1.1\", for=198.51.100.9`), peer, ""},

		{"both alike", peer, head{
			"Forwarded": {"for=198.51.100.9;proto=https"}, "X-Forwarded-For": {"198.51.100.9"}, "X-Forwarded-Proto": {"https"},
		}, "198.51.100.9", "https://own.example:8080"},
		{"both, of two minds", peer, head{"Forwarded": {"for=1.1.1.1"}, "X-Forwarded-For": {"198.51.100.9"}}, peer, ""},
		{"both, of which one says more", peer, head{
			"Forwarded": {"for=198.51.100.9;proto=https;host=evil.example"}, "X-Forwarded-For": {"198.51.100.9"}, "X-Forwarded-Proto": {"https"},
		}, peer, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			via := trusted.Read(netip.MustParseAddr(test.peer), "", "own.example:8080", test.head.field)
			if via.Client != netip.MustParseAddr(test.client) || via.Origin() != test.origin {
				t.Errorf("client %s, origin %q; want %s, %q", via.Client, via.Origin(), test.client, test.origin)
			}
		})
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	for told, want := range map[string]string{
		"/up": "/up", "/up/": "/up", " /a/b-c_d.e~f ": "/a/b-c_d.e~f",
		"": "", "/": "", "up": "", "//evil.example": "", "/a//b": "", "/..": "", "/a/./b": "", "/a/../b": "", "/a?b": "", "/a#b": "", "/a%2fb": "",
		`/\evil.example`: "", "/a b": "", "/a, /b": "", "https://evil.example": "", "/ü": "",
	} {
		head := head{"X-Forwarded-Prefix": {told}}
		if got := trusted.Read(netip.MustParseAddr("127.0.0.1"), "", "x", head.field).Prefix; got != want {
			t.Errorf("prefix %q is %q, want %q", told, got, want)
		}
		if got := trusted.Read(netip.MustParseAddr("127.0.0.2"), "", "x", head.field).Prefix; got != "" {
			t.Errorf("a stranger's prefix %q is %q", told, got)
		}
	}
	two := head{"X-Forwarded-Prefix": {"/a", "/b"}}
	if got := trusted.Read(netip.MustParseAddr("127.0.0.1"), "", "x", two.field).Prefix; got != "" {
		t.Errorf("of two prefixes came %q", got)
	}
}
