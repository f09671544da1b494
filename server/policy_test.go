package server

import (
	"net"
	"testing"

	"sluice/config"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	loopback := config.Config{Listen: "127.0.0.1:8080"}
	named := config.Config{Listen: "Files.lan:8080"}
	listed := config.Config{Listen: ":8080", AllowedHosts: config.Hosts{"files.example", "2001:DB8::1"}}
	for _, test := range []struct {
		cfg    config.Config
		listen string
		known  []string
		others []string
	}{
		{loopback, "127.0.0.1",
			[]string{"localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.9.9.9", "[::1]:8080", "[::1]", "", "x", "x:8080", "10.0.0.1", "[::2]:80"},
			[]string{"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1.2", "localhost.:1"}},
		{named, "10.0.0.7", []string{"files.lan", "FILES.LAN:80", "10.0.0.7:8080"}, []string{"other.lan"}},
		{listed, "::",
			[]string{"files.example:80", "Files.Example", "[2001:db8::1]:80", "localhost"},
			[]string{"", "x", "other.example", "0.0.0.0", "[::]:8080", "2001:db8::2"}},
	} {
		h := newHosts(test.cfg.Listen, test.cfg.AllowedHosts, &net.TCPAddr{IP: net.ParseIP(test.listen), Port: 8080})
		for _, host := range test.known {
			if !h.knows(host) {
				t.Errorf("at %s: %q is unknown", test.cfg.Listen, host)
			}
		}
		for _, host := range test.others {
			if h.knows(host) {
				t.Errorf("at %s: %q is known", test.cfg.Listen, host)
			}
		}
	}
	for _, test := range []struct {
		cfg      config.Config
		listen   string
		all, any bool
	}{{loopback, "127.0.0.1", false, false}, {named, "10.0.0.7", false, true}, {listed, "::", true, false}} {
		h := newHosts(test.cfg.Listen, test.cfg.AllowedHosts, &net.TCPAddr{IP: net.ParseIP(test.listen)})
		if h.all != test.all || h.any != test.any {
			t.Errorf("at %s: all %v, any %v; want %v, %v", test.cfg.Listen, h.all, h.any, test.all, test.any)
		}
	}
}
