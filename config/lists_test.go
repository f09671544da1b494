package config_test

import (
	"testing"
)

func TestLists(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		key, value string
		want       string // empty: refused
	}{
		{"trusted-proxies", "10.0.0.1", "10.0.0.1/32"},
		{"trusted-proxies", "10.0.0.0/8, fd00::/8", "10.0.0.0/8,fd00::/8"},
		{"trusted-proxies", "::ffff:10.0.0.1", "10.0.0.1/32"},
		{"trusted-proxies", "10.0.0.1/8", ""},
		{"trusted-proxies", "10.0.0.0/33", ""},
		{"trusted-proxies", "10.0.0.1,", ""},
		{"trusted-proxies", "fe80::1%eth0", ""},
		{"trusted-proxies", "proxy.example", ""},
		{"trusted-proxies", "*", ""},
		{"cors-origins", "*", "*"},
		{"cors-origins", "https://app.example, http://[::1]:3000", "https://app.example,http://[::1]:3000"},
		{"cors-origins", "*,https://app.example", ""},
		{"cors-origins", "https://*.example", ""},
		{"cors-origins", "https://app.example/", ""},
		{"cors-origins", "https://App.example", ""},
		{"cors-origins", "https://app.example:443", ""},
		{"cors-origins", "https://a@app.example", ""},
		{"cors-origins", "app.example", ""},
		{"cors-origins", "null", ""},
		{"cors-origins", "file://x", ""},
		{"allowed-hosts", "Files.example,192.0.2.1", "files.example,192.0.2.1"},
		{"allowed-hosts", "files.example:80", ""},
		{"allowed-hosts", "[::1]", ""},
		{"allowed-hosts", "*", ""},
		{"base-path", "/a/b-c._~1", "/a/b-c._~1"},
		{"base-path", "", ""},
		{"base-path", "up", ""},
		{"base-path", "/up/", ""},
		{"base-path", "//up", ""},
		{"base-path", "/../up", ""},
		{"base-path", "/:up", ""},
		{"base-path", "/up*", ""},
		{"base-path", "/%75p", ""},
	} {
		c, err := load(t, "", nil, "--"+test.key+"="+test.value)
		if err != nil && test.want != "" || err == nil && test.want == "" {
			t.Errorf("%s %q: %v", test.key, test.value, err)
		}
		for _, entry := range c.Entries() {
			if got := text(entry.Value); err == nil && entry.Key == test.key && got != test.want {
				t.Errorf("%s %q is %s, want %s", test.key, test.value, got, test.want)
			}
		}
	}
}
