package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
)

// haproxy is Debian's HAProxy with the example.
var haproxy = proxyKind{
	name: "HAProxy", example: "../deploy/haproxy/haproxy.cfg",
	local: func(dir, public, plain string) []string {
		return []string{"bind :443 ", "bind " + public + " ", "bind :80\n", "bind " + plain + "\n", "/etc/ssl/", dir + "/"}
	},
	command: func(t testing.TB, dir, text string) []string {
		conf := filepath.Join(dir, "haproxy.cfg")
		if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"haproxy", "-db", "-f", conf}
	},
}
