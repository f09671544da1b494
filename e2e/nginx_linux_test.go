package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// nginxConf runs nginx in one process, with all that it writes in a folder.
const nginxConf = `
daemon off;
master_process off;
pid %[1]s/pid;
error_log stderr;
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	include %[1]s/sluice.conf;
}
`

// nginx is Debian's nginx with the example.
var nginx = proxyKind{
	name: "nginx", example: "../deploy/nginx/sluice.conf",
	local: func(dir, public, plain string) []string {
		return []string{
			"listen 443 ", "listen " + public + " ",
			"listen 80;", "listen " + plain + ";",
			"/etc/ssl/", dir + "/",
		}
	},
	command: func(t testing.TB, dir, text string) []string {
		conf := filepath.Join(dir, "nginx.conf")
		for path, text := range map[string]string{conf: fmt.Sprintf(nginxConf, dir), filepath.Join(dir, "sluice.conf"): text} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return []string{"nginx", "-e", "stderr", "-p", dir, "-c", conf}
	},
}

// Behind nginx below a path, whether it keeps the path or cuts it off, addresses
// lead back through it, clients are told apart, and nothing that they say of
// themselves counts.
func TestBelowPathOfNginx(t *testing.T) {
	t.Parallel()
	settings := []string{"--trusted-proxies", "127.0.0.1", "--allowed-hosts", "files.example", "--absolute-urls"}
	below := []string{"location / {", "location /up/ {"}
	keeps, cuts := start(t, append(settings, "--base-path", "/up")...), start(t, settings...)
	for s, test := range map[*server]struct {
		base  string
		proxy *proxy
	}{
		keeps: {"/up", keeps.behind(nginx, below...)},
		cuts:  {"", cuts.behind(nginx, append(below, "proxy_pass http://sluice;", "proxy_pass http://sluice/;", `X-Forwarded-Prefix ""`, "X-Forwarded-Prefix /up")...)},
	} {
		base := "https://files.example:81"
		told := append(test.proxy.curl, "-H", "Forwarded: for=192.0.2.1;host=evil.example", "-H", "X-Forwarded-For: 192.0.2.1")
		put := curlWith(t, strings.NewReader("content"), append(told, "-T", "-", base+"/up/files/a/b")...).want(t, 201)
		if got := put.header.Get("Location"); got != base+"/up/files/a/b" {
			t.Errorf("Location %q", got)
		}
		if got := s.lastClient(test.base); got != "127.0.0.1" {
			t.Errorf("the client is %s", got)
		}
		made := curl(t, append(told, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", base+"/up/tus/")...).want(t, 201).header.Get("Location")
		path, found := strings.CutPrefix(made, base+"/up/tus/")
		if !found {
			t.Errorf("Location of tus is %q", made)
		}
		curl(t, append(told, "-X", "PATCH", "-H", tusVersion, "-H", tusType, "-H", "Upload-Offset: 0", "-d", "hello", base+"/up/tus/"+path)...).want(t, 204)
		if page := string(curl(t, append(told, "-H", "Accept: text/html", base+"/up/files/a/")...).want(t, 200).body); !strings.Contains(page, `href="/up/files/a/b"`) {
			t.Errorf("the page is %s", page)
		}
		form := append(told, "-F", "file=x;filename=f", base+"/up/files/")
		curl(t, append(form, "-H", "Origin: "+base)...).want(t, 200)
		curl(t, append(form, "-H", "Origin: https://evil.example")...).wantProblem(t, 403)
		curl(t, append(test.proxy.curl, "-H", "Host: evil.example", base+"/up/files/")...).wantProblem(t, 421)
	}
}
