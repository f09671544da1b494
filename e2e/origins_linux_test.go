package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

const app = "https://app.example"

// words splits the lists of a header.
func words(values []string) []string {
	var all []string
	for _, word := range strings.Split(strings.Join(values, ","), ",") {
		all = append(all, strings.ToLower(strings.TrimSpace(word)))
	}
	return all
}

// Pages of allowed origins may use every way in and out, and read all that
// clients need; each answer says so once, refusals too.
//
// https://github.com/tus/tus-node-server/issues/773
func TestCORS(t *testing.T) {
	t.Parallel()
	s := start(t, "--cors-origins", app+",http://localhost:3000", "--max-upload-size", "1MiB")
	s.put("f", "0123456789")
	upload := s.createTus("u", 10)
	for _, origin := range []string{app, "http://localhost:3000"} {
		for _, args := range [][]string{
			{s.fileURL("f")}, {"-r", "2-3", s.fileURL("f")}, {"--head", "--output", os.DevNull, s.fileURL("f")}, {s.url("/files/")}, {s.url("/")},
			{s.fileURL("none")}, {s.url("/nowhere")}, {"-r", "99-", s.fileURL("f")}, {"-X", "PATCH", s.fileURL("f")}, {s.url("/api/v1/transfers")},
			{"-X", "PUT", "-d", "x", s.fileURL("g")}, {"-F", "file=x;filename=h", s.url("/files/")}, {"-X", "DELETE", s.fileURL("g")},
			{"-X", "PUT", "-d", "x", "-H", "Content-Range: bytes 0-0/2", s.fileURL("g")}, {"-X", "OPTIONS", s.url("/tus/")},
			{"-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", s.url("/tus/")}, {"-X", "POST", s.url("/tus/")},
			{"-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 99999999", s.url("/tus/")},
			{"--head", "--output", os.DevNull, "-H", tusVersion, s.url(upload)}, {"-X", "PATCH", "-H", tusVersion, s.url(upload)},
			{"--head", "--output", os.DevNull, "-H", tusVersion, s.url("/tus/none")}, {s.url(upload)},
		} {
			a := curl(t, append([]string{"-H", "Origin: " + origin}, args...)...)
			checkAllowed(t, fmt.Sprint(args), a.header, origin)
			exposed := words(a.header.Values("Access-Control-Expose-Headers"))
			for _, field := range strings.Fields(`location content-location upload-offset upload-length upload-expires upload-concat upload-metadata
				upload-defer-length tus-resumable tus-version tus-extension tus-max-size tus-checksum-algorithm etag repr-digest content-digest
				accept-ranges content-range content-length content-disposition x-request-id retry-after`) {
				if !slices.Contains(exposed, field) {
					t.Errorf("%s: %s is not exposed", args, field)
				}
			}
		}
	}
	for _, args := range [][]string{{s.fileURL("f")}, {"-H", "Origin: https://evil.example", s.fileURL("f")}, {"-H", "Origin: null", s.fileURL("f")}} {
		header := curl(t, args...).want(t, 200).header
		if got := header.Values("Access-Control-Allow-Origin"); len(got) > 0 || !slices.Contains(words(header.Values("Vary")), "origin") {
			t.Errorf("%s: allowed are %q, Vary %q", args, got, header.Values("Vary"))
		}
	}
}

// checkAllowed fails the test unless the answer allows its origin once, to no
// credentials, and varies by it.
func checkAllowed(t testing.TB, what string, header http.Header, origin string) {
	t.Helper()
	if got := header.Values("Access-Control-Allow-Origin"); len(got) != 1 || got[0] != origin {
		t.Errorf("%s: allowed are %q, want %s", what, got, origin)
	}
	if header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%s: credentials are allowed", what)
	}
	if varies := slices.Contains(words(header.Values("Vary")), "origin"); !varies && origin != "*" {
		t.Errorf("%s: Vary %q", what, header.Values("Vary"))
	}
}

// A page asks first, without credentials, and hears of all methods and fields.
func TestPreflight(t *testing.T) {
	t.Parallel()
	s := start(t, "--cors-origins", app)
	for _, path := range []string{"/files/f", "/files/", "/tus/", "/tus/none", "/api/v1/transfers"} {
		ask := []string{"-X", "OPTIONS", "-H", "Access-Control-Request-Method: PATCH", "-H", "Access-Control-Request-Headers: tus-resumable,upload-offset", s.url(path)}
		a := curl(t, append(ask, "-H", "Origin: "+app)...).want(t, 204)
		checkAllowed(t, path, a.header, app)
		methods, fields := words(a.header.Values("Access-Control-Allow-Methods")), words(a.header.Values("Access-Control-Allow-Headers"))
		for _, method := range []string{"get", "head", "post", "put", "patch", "delete"} {
			if !slices.Contains(methods, method) {
				t.Errorf("%s: %s is not among the methods %q", path, method, methods)
			}
		}
		for _, field := range strings.Fields(`tus-resumable upload-length upload-offset upload-metadata upload-defer-length upload-concat upload-checksum
			upload-complete upload-draft-interop-version x-http-method-override content-type content-disposition range if-match if-none-match if-range
			if-modified-since if-unmodified-since repr-digest content-digest content-md5 want-repr-digest x-request-id x-requested-with authorization`) {
			if !slices.Contains(fields, field) {
				t.Errorf("%s: %s is not among the fields %q", path, field, fields)
			}
		}
		if a.header.Get("Access-Control-Max-Age") != "86400" || len(a.body) > 0 || a.header.Get("Content-Length") != "" {
			t.Errorf("%s: %v, content %q", path, a.header, a.body)
		}
		refused := curl(t, append(ask, "-H", "Origin: https://evil.example")...)
		if got := refused.header.Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s: the foreign origin %q is allowed", path, got)
		}
	}
	quiet := start(t)
	for name := range curl(t, "-X", "OPTIONS", "-H", "Origin: "+app, "-H", "Access-Control-Request-Method: PUT", quiet.fileURL("f")).header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("without allowed origins comes %s", name)
		}
	}
}

// A list of all origins is never joined with credentials.
//
// https://github.com/gofiber/fiber/security/advisories/GHSA-fmg4-x8pw-hjhg
func TestCORSOfAll(t *testing.T) {
	t.Parallel()
	s := start(t, "--cors-origins", "*")
	for _, origin := range []string{app, "null"} {
		a := curlWith(t, strings.NewReader("x"), "-H", "Origin: "+origin, "-H", "Sec-Fetch-Site: cross-site", "-T", "-", s.fileURL("f")).want(t, 200, 201)
		checkAllowed(t, origin, a.header, "*")
	}
}

// A page of somebody else can send forms and more without asking. None of that
// changes anything.
//
// https://github.com/bacnh85/pi-extensions/issues/7
// https://github.com/gptme/gptme/pull/3324
func TestForeignOrigin(t *testing.T) {
	t.Parallel()
	s := start(t, "--cors-origins", app)
	s.put("there", "content")
	upload := s.createTus("upload", 5)
	own := "http://" + s.addr
	for _, test := range []struct {
		name    string
		fields  []string
		allowed bool
	}{
		{"no browser", nil, true},
		{"own page", []string{"Origin: " + own, "Sec-Fetch-Site: same-origin"}, true},
		{"own page in an old browser", []string{"Origin: " + own}, true},
		{"nobody's page", []string{"Sec-Fetch-Site: none"}, true},
		{"allowed page", []string{"Origin: " + app, "Sec-Fetch-Site: cross-site"}, true},
		{"foreign page", []string{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"}, false},
		{"foreign page in an old browser", []string{"Origin: https://evil.example"}, false},
		{"foreign page without an origin", []string{"Sec-Fetch-Site: cross-site"}, false},
		{"page of the same site", []string{"Origin: https://other.example", "Sec-Fetch-Site: same-site"}, false},
		{"page on another port", []string{"Origin: http://127.0.0.1:1"}, false},
		{"sandboxed page", []string{"Origin: null"}, false},
		{"page of a longer name", []string{"Origin: " + own + ".evil.example"}, false},
		{"page of an allowed one's longer name", []string{"Origin: " + app + ".evil.example"}, false},
		{"forwarded by a stranger", []string{"Origin: https://evil.example", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example"}, false},
	} {
		var fields []string
		for _, field := range test.fields {
			fields = append(fields, "-H", field)
		}
		for _, args := range [][]string{
			{"-F", "file=x;filename=form", s.url("/files/")},
			{"-X", "PUT", "-d", "x", s.fileURL("put")},
			{"-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 0", "-H", tusName("tus"), s.url("/tus/")},
			{"-X", "POST", "-H", "X-HTTP-Method-Override: DELETE", "-H", tusVersion, s.url(upload)},
			{"-X", "DELETE", s.fileURL("there")},
		} {
			if test.allowed && strings.Contains(fmt.Sprint(args), "DELETE") {
				continue
			}
			if a := curl(t, append(fields, args...)...); test.allowed {
				a.want(t, 200, 201)
			} else {
				a.wantProblem(t, 403)
			}
		}
		stored := s.stored()
		if test.allowed && len(stored) != 4 || !test.allowed && !slices.Equal(stored, []string{"there"}) {
			t.Errorf("%s: stored are %q", test.name, stored)
		}
		for _, name := range []string{"form", "put", "tus"} {
			if err := os.RemoveAll(s.file(name)); err != nil {
				t.Fatal(err)
			}
		}
		curl(t, append(fields, s.fileURL("there"))...).want(t, 200) // reading is no change
	}
	if offset := s.tusOffset(upload); offset != "0" {
		t.Errorf("the upload is at %s", offset)
	}
}

// Behind a trusted proxy the page's own origin is what the proxy tells.
func TestOwnOriginBehindProxy(t *testing.T) {
	t.Parallel()
	s := start(t, "--trusted-proxies", "127.0.0.1")
	form := []string{"-H", "X-Forwarded-Proto: https", "-H", "X-Forwarded-Host: up.example", "-F", "file=x;filename=f", s.url("/files/")}
	curl(t, append(form, "-H", "Origin: https://up.example")...).want(t, 200)
	curl(t, append(form, "-H", "Origin: https://evil.example")...).wantProblem(t, 403)
	curl(t, append(form, "-H", "Origin: http://"+s.addr)...).wantProblem(t, 403)
}

// A page can have its own name lead to this machine, and would then read all
// as its own.
//
// https://github.com/Canonry/canonry/issues/1177
func TestUnknownHost(t *testing.T) {
	t.Parallel()
	s, listed := start(t), start(t, "--allowed-hosts", "files.example")
	everywhere := start(t, "--listen", "0.0.0.0:0", "--allow-anonymous-public")
	everywhere.addr = strings.Replace(everywhere.addr, "[::]", "127.0.0.1", 1)
	_, port, _ := strings.Cut(s.addr, ":")
	const browser, origin = "Accept-Encoding: gzip, deflate", "Origin: http://evil.example"
	for _, test := range []struct {
		host, field string
		want        [3]int // on loopback, with a list, everywhere
	}{
		{"evil.example", "X: y", [3]int{421, 421, 200}},
		{"evil.example", browser, [3]int{421, 421, 200}},
		{"evil.example:" + port, browser, [3]int{421, 421, 200}},
		{"evil.example", origin, [3]int{421, 421, 200}},
		{"evil.example", "Sec-Fetch-Mode: navigate", [3]int{421, 421, 200}},
		{"127.0.0.1.evil.example", browser, [3]int{421, 421, 200}},
		{"files.example", browser, [3]int{421, 200, 200}},
		{"FILES.example:8080", browser, [3]int{421, 200, 200}},
		{"localhost:" + port, browser, [3]int{200, 200, 200}},
		{"127.0.0.1:" + port, browser, [3]int{200, 200, 200}},
		{"127.0.0.2", browser, [3]int{200, 200, 200}},
		{"[::1]:8080", browser, [3]int{200, 200, 200}},
	} {
		for i, s := range []*server{s, listed, everywhere} {
			a := curl(t, "-H", "Host: "+test.host, "-H", test.field, s.url("/files/"))
			if a.status != test.want[i] {
				t.Errorf("Host %s, %s, server %d: status %d, want %d", test.host, test.field, i, a.status, test.want[i])
			}
			if a.status == 421 {
				a.wantProblem(t, 421)
			}
		}
	}
	curlWith(t, strings.NewReader("x"), "-H", "Host: evil.example", "-H", origin, "-T", "-", s.fileURL("f")).wantProblem(t, 421)
	s.missing("f")
}
