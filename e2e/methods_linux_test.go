package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// Every path says which methods it has: to those who ask, and to those who try
// another one.
func TestMethods(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("there", "content")
	for path, allowed := range map[string]string{
		"/":                 "GET, HEAD, OPTIONS",
		"/assets/x":         "GET, HEAD, OPTIONS",
		"/files":            "GET, HEAD, POST, PUT, DELETE, OPTIONS, MKCOL, MOVE",
		"/files/":           "GET, HEAD, POST, PUT, DELETE, OPTIONS, MKCOL, MOVE",
		"/files/there":      "GET, HEAD, POST, PUT, DELETE, OPTIONS, MKCOL, MOVE",
		"/files/none/a%20b": "GET, HEAD, POST, PUT, DELETE, OPTIONS, MKCOL, MOVE",
		"/tus/":             "GET, HEAD, POST, DELETE, OPTIONS, PATCH",
		"/tus/0123":         "GET, HEAD, POST, DELETE, OPTIONS, PATCH",
		"/api/v1/transfers": "GET, HEAD, OPTIONS",
		"/api/v1/info":      "GET, HEAD, OPTIONS",
	} {
		a := curl(t, "-X", "OPTIONS", s.url(path)).want(t, 200, 204)
		if got := a.header.Get("Allow"); got != allowed || len(a.body) > 0 {
			t.Errorf("OPTIONS %s: Allow %q, want %q; content %q", path, got, allowed, a.body)
		}
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "MKCOL", "MOVE"} {
			if strings.Contains(allowed, method) {
				continue
			}
			a := curl(t, "-X", method, s.url(path))
			a.wantProblem(t, 405)
			if got := a.header.Get("Allow"); got != allowed {
				t.Errorf("%s %s: Allow %q, want %q", method, path, got, allowed)
			}
		}
		curl(t, "-X", "BREW", s.url(path)).wantProblem(t, 501)
	}
	for _, method := range []string{"GET", "PUT", "OPTIONS", "TRACE"} {
		curl(t, "-X", method, s.url("/nowhere")).wantProblem(t, 404)
	}
	a := curl(t, "-X", "OPTIONS", "--request-target", "*", s.url("/")).want(t, 204)
	if got, want := a.header.Get("Allow"), "GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH, MKCOL, MOVE"; got != want {
		t.Errorf("OPTIONS *: Allow %q, want %q", got, want)
	}
}

// The folder of all files is found without its slash, by people and by forms.
func TestFilesWithoutSlash(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := content(t, 1000)
	curl(t, "-F", "file=@"+path+";filename=f", s.url("/files")).want(t, 200)
	sameFile(t, s.file("f"), path)
	a := curl(t, s.url("/files?sort=name")).want(t, 301)
	if got := a.header.Get("Location"); got != "/files/?sort=name" {
		t.Errorf("Location %q", got)
	}
	listing, err := s.client().must("GET", "/files", nil, 0, "Accept: application/json")
	if err != nil || !strings.Contains(string(listing.body), `"f"`) {
		t.Errorf("the listing is %q, %v", listing.body, err)
	}
}

// HEAD answers with the head that GET would have, and nothing else.
func TestHeadIsThatOfGet(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("folder/there", "content")
	for _, path := range []string{"/", "/files", "/files/", "/files/folder", "/files/folder/", "/files/folder/there", "/files/none", "/api/v1/transfers", "/nowhere"} {
		for _, fields := range [][]string{nil, {"If-None-Match: *"}, {`If-Match: "x"`}} {
			c := s.client()
			c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			get, err := c.do("GET", path, nil, 0, fields...)
			if err != nil {
				t.Fatal(err)
			}
			head, err := c.do("HEAD", path, nil, 0, fields...)
			if err != nil {
				t.Fatal(err)
			}
			// Content-Digest is of the content that is sent (RFC 9530 appendix B.2).
			for _, own := range []string{"Date", "X-Request-Id", "Content-Digest"} {
				get.header.Del(own)
				head.header.Del(own)
			}
			if head.status != get.status || len(head.body) > 0 || !sameHeader(head.header, get.header) {
				t.Errorf("HEAD %s %q: %d, %v, %q; GET: %d, %v", path, fields, head.status, head.header, head.body, get.status, get.header)
			}
		}
	}
}

func sameHeader(a, b http.Header) bool {
	var left, right strings.Builder
	return a.Write(&left) == nil && b.Write(&right) == nil && left.String() == right.String()
}
