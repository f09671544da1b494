package e2e_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// trusted makes a server believe whoever is on this machine.
var trusted = []string{"--trusted-proxies", "127.0.0.0/8", "--absolute-urls"}

// Location is a whole URL where a trusted proxy tells how it begins, and never
// one that leads elsewhere or nowhere.
//
// https://github.com/tus/tusd/issues/277
// https://github.com/tus/tusd/issues/467
// https://github.com/tus/tusd/issues/679
// https://github.com/tus/tusd/issues/1227
// https://github.com/tus/tus-node-server/issues/469
func TestForwardedLocation(t *testing.T) {
	t.Parallel()
	plain, behind := start(t), start(t, trusted...)
	const https, host = "X-Forwarded-Proto: https", "X-Forwarded-Host: up.example"
	for _, test := range []struct {
		name   string
		fields []string
		origin string // of Location behind a trusted proxy
	}{
		{"nothing", nil, ""},
		{"older fields", []string{https, host}, "https://up.example"},
		{"older fields and a prefix", []string{https, host, "X-Forwarded-Prefix: /up"}, "https://up.example/up"},
		{"prefix to elsewhere", []string{https, host, "X-Forwarded-Prefix: //evil.example"}, "https://up.example"},
		{"Forwarded", []string{`Forwarded: proto=https;host="up.example:8443"`}, "https://up.example:8443"},
		{"Host kept", []string{https, "Host: up.example"}, "https://up.example"},
		{"two schemes", []string{"X-Forwarded-Proto: https,http", host}, "http://up.example"},
		{"script", []string{"X-Forwarded-Proto: javascript", host}, ""},
		{"host with a path", []string{https, "X-Forwarded-Host: evil.example/x?"}, ""},
		{"Host alone", []string{"Host: evil.example"}, ""},
		{"both kinds, of two minds", []string{https, host, "Forwarded: proto=https;host=evil.example"}, ""},
	} {
		for s, origin := range map[*server]string{plain: "", behind: test.origin} {
			base, prefix := s.url(""), strings.TrimPrefix(origin, "https://up.example")
			if !strings.HasPrefix(prefix, "/") {
				prefix = ""
			}
			var args []string
			for _, field := range test.fields {
				args = append(args, "-H", field)
			}
			made := curl(t, append(args, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 0", "-H", tusName("by tus"), base+"/tus/")...).want(t, 201)
			if got := made.header.Get("Location"); !regexp.MustCompile("^" + regexp.QuoteMeta(origin) + "/tus/[0-9a-f]{32}$").MatchString(got) {
				t.Errorf("%s: Location of tus is %q, want %s/tus/ID", test.name, got, origin)
			}
			if got := made.header.Get("Content-Location"); got != origin+"/files/by%20tus" {
				t.Errorf("%s: Content-Location %q", test.name, got)
			}
			put := curlWith(t, strings.NewReader("x"), append(args, "-T", "-", base+"/files/a%20b")...).want(t, 200, 201)
			if got := put.header.Get("Location"); got != origin+"/files/a%20b" {
				t.Errorf("%s: Location of PUT is %q", test.name, got)
			}
			var stored struct{ URL string }
			if put.decode(t, &stored); stored.URL != prefix+"/files/a%20b" {
				t.Errorf("%s: the answer to PUT says %q", test.name, stored.URL)
			}
			form := curl(t, append(args, "-H", "Accept: text/html", "-F", "file=x;filename=f", base+"/files/")...).want(t, 303)
			if got := form.header.Get("Location"); got != origin+"/files/" {
				t.Errorf("%s: Location of a form is %q", test.name, got)
			}
		}
	}
}

// Parts are found by the URLs that they were given, whatever the prefix.
func TestForwardedParts(t *testing.T) {
	t.Parallel()
	s := start(t, trusted...)
	told := []string{"-H", tusVersion, "-H", "X-Forwarded-Proto: https", "-H", "X-Forwarded-Prefix: /tus", "-X", "POST", s.url("/tus/")}
	part := curl(t, append(told, "-H", "Upload-Concat: partial", "-H", "Upload-Length: 1", "-H", tusType, "-d", "x")...).want(t, 201).header.Get("Location")
	if !strings.HasPrefix(part, "https://"+s.addr+"/tus/tus/") {
		t.Errorf("Location %q", part)
	}
	curl(t, append(told, "-H", "Upload-Concat: final;"+part, "-H", tusName("joined"))...).want(t, 201)
	if got := string(read(t, s.file("joined"))); got != "x" {
		t.Errorf("the file holds %q", got)
	}
}

// A client behind a trusted proxy is known by its own address, to the limits,
// the log and the list of transfers.
func TestForwardedClient(t *testing.T) {
	t.Parallel()
	plain := start(t)
	behind := start(t, "--trusted-proxies", "127.0.0.1,10.0.0.0/8", "--max-transfers-per-client", "1", "--max-connections-per-client", "1")
	for _, test := range []struct{ field, client string }{
		{"X-Forwarded-For: 192.0.2.9", "192.0.2.9"},
		{"X-Forwarded-For: 203.0.113.1, 192.0.2.8, 10.1.1.1", "192.0.2.8"},
		{`Forwarded: for="[2001:db8::9]:4711"`, "2001:db8::9"},
		{"X-Forwarded-For: unknown", "127.0.0.1"},
		{"X-Real-IP: 192.0.2.9", "127.0.0.1"},
	} {
		for s, client := range map[*server]string{plain: "127.0.0.1", behind: test.client} {
			curlWith(t, strings.NewReader("x"), "-H", test.field, "-T", "-", s.fileURL("f")).want(t, 200, 201)
			if got := s.lastClient(); got != client {
				t.Errorf("%s: the client is %s, want %s", test.field, got, client)
			}
		}
	}
	if !strings.Contains(behind.log.String(), `"client":"2001:db8::9"`) {
		t.Error("the log doesn't name the client")
	}
	// One runs; another client's goes on, the same client's is refused.
	running := dial(t, behind)
	running.send("PUT /files/slow HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.9\r\nContent-Length: 10\r\n\r\nhello")
	eventually(t, "the upload runs", func() bool {
		return strings.Contains(string(curl(t, behind.url("/api/v1/transfers")).body), `"slow"`)
	})
	// All of these come by connections of the proxy, which may have any number.
	curlWith(t, strings.NewReader("x"), "-H", "X-Forwarded-For: 192.0.2.7", "-T", "-", behind.fileURL("f")).want(t, 200)
	curlWith(t, strings.NewReader("x"), "-H", "X-Forwarded-For: 192.0.2.9", "-T", "-", behind.fileURL("f")).wantProblem(t, 503)
}

// lastClient is the client of the transfer that has ended last.
func (s *server) lastClient() string {
	s.t.Helper()
	var list struct{ Recent []struct{ Client string } }
	curl(s.t, s.url("/api/v1/transfers")).decode(s.t, &list)
	if len(list.Recent) == 0 {
		return ""
	}
	return list.Recent[0].Client
}

// Everything public stands below the base path, and says so in every address.
func TestBasePath(t *testing.T) {
	t.Parallel()
	s := start(t, "--base-path", "/at/up")
	for _, path := range []string{"/", "/files/", "/tus/", "/api/v1/transfers", "/at", "/at/upfiles/", "/AT/up/", "/at/up/../up/files/", "/%61t/up/files/", "//at/up/files/"} {
		curl(t, s.url(path)).wantProblem(t, 404)
	}
	curlWith(t, strings.NewReader("x"), "-T", "-", s.url("/files/f")).wantProblem(t, 404)
	for path, to := range map[string]string{"/at/up": "/at/up/files/", "/at/up/": "/at/up/files/", "/at/up/files": "/at/up/files/"} {
		if got := curl(t, s.url(path)).want(t, 301, 302).header.Get("Location"); got != to {
			t.Errorf("%s leads to %q, want %q", path, got, to)
		}
	}
	put := curlWith(t, strings.NewReader("content"), "-T", "-", s.url("/at/up/files/folder/a%20b")).want(t, 201)
	if got := put.header.Get("Location"); got != "/at/up/files/folder/a%20b" || !strings.Contains(string(put.body), `"url":"`+got+`"`) {
		t.Errorf("Location %q; %s", got, put.body)
	}
	if got := string(read(t, s.file("folder/a b"))); got != "content" {
		t.Errorf("the file holds %q", got)
	}
	form := curl(t, "-F", "file=x;filename=f", s.url("/at/up/files/folder/")).want(t, 200)
	if !strings.Contains(string(form.body), `"url":"/at/up/files/folder/f"`) {
		t.Errorf("answer to the form: %s", form.body)
	}
	s.checkLinks("/at/up/files/folder/", "/at/up/files/", "/at/up/files/folder/a%20b", "/at/up/files/folder/f")

	upload := curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", "-H", tusName("t"), s.url("/at/up/tus/")).want(t, 201).header.Get("Location")
	if !strings.HasPrefix(upload, "/at/up/tus/") {
		t.Fatalf("Location of tus is %q", upload)
	}
	done := s.patch(upload, 0, []byte("hello")).want(t, 204)
	if got := done.header.Get("Content-Location"); got != "/at/up/files/t" {
		t.Errorf("Content-Location %q", got)
	}
	if got := curl(t, s.url(upload)).want(t, 200); string(got.body) != "hello" {
		t.Errorf("the upload's URL holds %q", got.body)
	}
	exchanges, err := tusUpload(t, s.url("/at/up/tus/"), content(t, 1000), "client.bin", "--parallel", "2")
	if err != nil || count(exchanges, "PATCH") != 2 {
		t.Errorf("tus-js-client: %+v, %v", exchanges, err)
	}
	if got := curl(t, "http://"+s.admin+"/healthz"); got.status != 200 {
		t.Errorf("health is %d at the admin listener", got.status)
	}
	if a := dial(t, s).send("GET http://" + s.addr + "/at/up/files/t HTTP/1.1\r\nHost: " + s.addr + "\r\nConnection: close\r\n\r\n").rest(); !strings.HasPrefix(string(a.raw), "HTTP/1.1 200") {
		t.Errorf("a whole URL is answered by %q", a.raw)
	}
	curl(t, "-X", "OPTIONS", s.url("/at/up/files/x")).want(t, 204)
	curl(t, "-X", "PATCH", s.url("/at/up/files/x")).wantProblem(t, 405)
}

// checkLinks fails the test unless the page of a folder and its JSON lead to
// the given places, all of which have to answer.
func (s *server) checkLinks(folder string, places ...string) {
	s.t.Helper()
	page := string(curl(s.t, "-H", "Accept: text/html", s.url(folder)).want(s.t, 200).body)
	for _, place := range append(places, folder+"?archive=zip") {
		if !strings.Contains(page, `href="`+place+`"`) {
			s.t.Errorf("the page doesn't lead to %s:\n%s", place, page)
		}
		curl(s.t, s.url(place)).want(s.t, 200)
	}
	if !strings.Contains(page, `action="`+folder+`"`) {
		s.t.Errorf("the page's form doesn't lead to %s", folder)
	}
	var list struct{ Entries []struct{ URL string } }
	if err := json.Unmarshal(curl(s.t, "-H", "Accept: application/json", s.url(folder)).want(s.t, 200).body, &list); err != nil {
		s.t.Fatal(err)
	}
	for _, entry := range list.Entries {
		if !strings.HasPrefix(entry.URL, folder) {
			s.t.Errorf("JSON says %s", entry.URL)
		}
	}
}
