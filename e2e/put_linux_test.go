package e2e_test

import (
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The answer to a PUT says whether the file is new, where it is and which
// version of it this is (RFC 9110 sections 9.3.4 and 8.8.3).
func TestPut(t *testing.T) {
	t.Parallel()
	s := start(t)
	etags := make(map[string]string) // by content
	for i, body := range []string{"first", "second", "", "", "first"} {
		a := curlWith(t, strings.NewReader(body), "--data-binary", "@-", "-X", "PUT", s.url("/files/a%20folder/a%3Fb")).want(t, 201, 200)
		if created := a.status == 201; created != (i == 0) {
			t.Errorf("PUT %d: status %d", i, a.status)
		}
		if got := a.header.Get("Location"); got != "/files/a%20folder/a%3Fb" {
			t.Errorf("Location is %q", got)
		}
		got := curl(t, s.url(a.header.Get("Location"))).want(t, 200)
		etag := a.header.Get("ETag")
		if before, known := etags[body]; etag == "" || etag != got.header.Get("ETag") || known && etag != before {
			t.Errorf("ETag %q, then %q, in the answers to PUT and GET %d", etag, got.header.Get("ETag"), i)
		}
		etags[body] = etag
		if string(got.body) != body {
			t.Errorf("stored %q, want %q", got.body, body)
		}
	}
	distinct := slices.Compact(slices.Sorted(maps.Values(etags)))
	if len(distinct) != len(etags) {
		t.Errorf("different contents share an ETag: %q", etags)
	}
}

// An empty body makes an empty file, however it is framed.
//
// https://github.com/owncloud/ocis/issues/3599
func TestPutOfNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, framing := range map[string][]string{
		"sized":            {length(0), ""},
		"chunked":          {chunked, "0\r\n\r\n"},
		"chunked-trailers": {chunked, "0\r\nX-Trailer: y\r\n\r\n"},
		"no-length":        {"X-Nothing: at all", ""},
	} {
		reply := dial(t, s).send(requestHead("PUT", "/files/"+name, framing[0]), framing[1]).fin().rest()
		if got := reply.statuses(); len(got) != 1 || got[0] != 201 {
			t.Errorf("%s: statuses %v, want 201\n%s", name, got, reply.raw)
		}
		if got := read(t, s.file(name)); len(got) != 0 {
			t.Errorf("%s: %d bytes are stored", name, len(got))
		}
	}
}

// What can't become a file of that name is refused.
func TestPutRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("file", "old")
	s.put("sub/file", "old")
	for _, test := range []struct {
		path   string
		fields []string
		status int
	}{
		{"/files/", nil, 400},
		{"/files/sub", nil, 409},
		{"/files/sub/", nil, 409},
		{"/files/new/", nil, 409},
		{"/files/file/", nil, 409},
		{"/files/file/below", nil, 409},
		{"/files//file", nil, 400},
		{"/files/sub//file", nil, 400},
		{"/files/a%5Cb", nil, 400},
		{"/files/%zz", nil, 400},
		{"/files/file", []string{"Content-Range: bytes 0-2/3"}, 400},
	} {
		reply := dial(t, s).send(requestHead("PUT", test.path, append(test.fields, length(3))...))
		_, _ = io.WriteString(reply.conn, "new") // the server may have answered
		if got := reply.fin().rest().statuses(); len(got) != 1 || got[0] != test.status {
			t.Errorf("PUT %s %v: statuses %v, want %d", test.path, test.fields, got, test.status)
		}
	}
	for _, name := range []string{"file", "sub/file"} {
		if got := read(t, s.file(name)); string(got) != "old" {
			t.Errorf("%s holds %q", name, got)
		}
	}
	if got := s.stored(); len(got) != 2 {
		t.Errorf("the disk holds %q", got)
	}
}
