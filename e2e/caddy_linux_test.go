package e2e_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// caddy is Debian's Caddy with the example, and a certificate that needs no
// authority.
var caddy = proxyKind{
	name: "Caddy", example: "../deploy/caddy/Caddyfile",
	local: func(dir, public, plain string) []string {
		_, https, _ := net.SplitHostPort(public) // these are host:port
		_, http, _ := net.SplitHostPort(plain)
		return []string{
			"{\n\tservers {", fmt.Sprintf("{\n\tadmin off\n\thttp_port %s\n\thttps_port %s\n\tdefault_bind 127.0.0.1\n\tstorage file_system %s\n\tservers {", http, https, dir),
			"files.example {", fmt.Sprintf("files.example {\n\ttls %[1]s/files.example.pem %[1]s/files.example.key", dir),
		}
	},
	command: func(t testing.TB, dir, text string) []string {
		conf := filepath.Join(dir, "Caddyfile")
		if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"caddy", "run", "--config", conf, "--adapter", "caddyfile"}
	},
}
