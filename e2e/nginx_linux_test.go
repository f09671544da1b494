package e2e_test

import (
	"fmt"
	"net"
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
	server {
		listen %[2]s;
		%[3]s
	}
}
`

// behindNginx runs nginx as the documents say, with changes, before the server,
// and returns its address.
func (s *server) behindNginx(changes ...string) string {
	s.t.Helper()
	_, rest, _ := strings.Cut(string(read(s.t, "../docs/OPERATIONS.md")), "```nginx\n")
	location, _, found := strings.Cut(rest, "```")
	if !found {
		s.t.Fatal("the documents don't say how to set nginx up")
	}
	changes = append(changes, "127.0.0.1:8080", s.addr)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	addr := free.Addr().String()
	if err := free.Close(); err != nil {
		s.t.Fatal(err)
	}
	dir := folder(s.t)
	conf := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(nginxConf, dir, addr, strings.NewReplacer(changes...).Replace(location))
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	cmd := toolCommand(s.t, "nginx", "-e", "stderr", "-p", dir, "-c", conf)
	log := new(strings.Builder)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if s.t.Failed() {
			s.t.Logf("nginx says:\n%s", log)
		}
	})
	eventually(s.t, "nginx listens", func() bool {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
	return addr
}

// Behind nginx as it is documented, whether it keeps the path or cuts it off,
// addresses lead back through it, clients are told apart, and nothing that they
// say of themselves counts.
func TestBehindNginx(t *testing.T) {
	t.Parallel()
	settings := []string{"--trusted-proxies", "127.0.0.1", "--allowed-hosts", "files.example", "--absolute-urls"}
	keeps, cuts := start(t, append(settings, "--base-path", "/up")...), start(t, settings...)
	for s, test := range map[*server]struct{ base, addr string }{
		keeps: {"/up", keeps.behindNginx()},
		cuts:  {"", cuts.behindNginx("proxy_pass http://127.0.0.1:8080;", "proxy_pass http://"+cuts.addr+"/;", `X-Forwarded-Prefix ""`, "X-Forwarded-Prefix /up")},
	} {
		base := "http://" + test.addr
		told := []string{"-H", "Host: files.example:81", "-H", "Forwarded: for=192.0.2.1;host=evil.example", "-H", "X-Forwarded-For: 192.0.2.1"}
		put := curlWith(t, strings.NewReader("content"), append(told, "-T", "-", base+"/up/files/a/b")...).want(t, 201)
		if got := put.header.Get("Location"); got != "http://files.example:81/up/files/a/b" {
			t.Errorf("Location %q", got)
		}
		if got := s.lastClient(test.base); got != "127.0.0.1" {
			t.Errorf("the client is %s", got)
		}
		made := curl(t, append(told, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", base+"/up/tus/")...).want(t, 201).header.Get("Location")
		path, found := strings.CutPrefix(made, "http://files.example:81/up/tus/")
		if !found {
			t.Errorf("Location of tus is %q", made)
		}
		curl(t, append(told, "-X", "PATCH", "-H", tusVersion, "-H", tusType, "-H", "Upload-Offset: 0", "-d", "hello", base+"/up/tus/"+path)...).want(t, 204)
		if page := string(curl(t, append(told, "-H", "Accept: text/html", base+"/up/files/a/")...).want(t, 200).body); !strings.Contains(page, `href="/up/files/a/b"`) {
			t.Errorf("the page is %s", page)
		}
		form := append(told, "-F", "file=x;filename=f", base+"/up/files/")
		curl(t, append(form, "-H", "Origin: http://files.example:81")...).want(t, 200)
		curl(t, append(form, "-H", "Origin: http://evil.example")...).wantProblem(t, 403)
		curl(t, "-H", "Host: evil.example", base+"/up/files/").wantProblem(t, 421)
	}
}
