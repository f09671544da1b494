package e2e_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// listing is a folder as JSON.
type listing struct {
	Folder  string `json:"folder"`
	Entries []struct {
		Name     string    `json:"name"`
		URL      string    `json:"url"`
		Folder   bool      `json:"folder"`
		Size     int64     `json:"size"`
		Modified time.Time `json:"modified"`
	} `json:"entries"`
}

func TestListing(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("sub/deep/b.txt", "12345")
	s.put("sub/a b.txt", "1")

	var got listing
	curl(t, "-H", "Accept: application/json", s.url("/files/sub/")).want(t, 200).decode(t, &got)
	if got.Folder != "sub" || len(got.Entries) != 2 {
		t.Fatalf("listing is %+v", got)
	}
	file, folder := got.Entries[0], got.Entries[1]
	if file.Name != "a b.txt" || file.URL != "/files/sub/a%20b.txt" || file.Folder || file.Size != 1 || file.Modified.IsZero() {
		t.Errorf("file is listed as %+v", file)
	}
	if folder.Name != "deep" || folder.URL != "/files/sub/deep/" || !folder.Folder {
		t.Errorf("folder is listed as %+v", folder)
	}
	curl(t, s.url(file.URL)).want(t, 200)

	page := curl(t, "-H", "Accept: text/html", s.url("/files/sub/")).want(t, 200)
	if kind := page.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/html") {
		t.Errorf("page is %q", kind)
	}
	for _, want := range []string{`href="/files/sub/a%20b.txt"`, `href="/files/sub/deep/"`, `href="/files/"`, `href="/files/sub/?archive=zip"`} {
		if !strings.Contains(string(page.body), want) {
			t.Errorf("page has no %s:\n%s", want, page.body)
		}
	}
	// Relative links on a page need its slash.
	if a := curl(t, s.url("/files/sub")).want(t, 301, 302, 307, 308); a.header.Get("Location") != "/files/sub/" && a.header.Get("Location") != s.url("/files/sub/") {
		t.Errorf("a folder without slash leads to %q", a.header.Get("Location"))
	}
	if links := s.links(); len(links) != 1 {
		t.Errorf("the root lists %v, want sub alone", links)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("sub/a.txt", "1")
	s.put("b.txt", "2")
	remove := func(path string) answer { return curl(t, "-X", "DELETE", s.url(path)) }

	remove("/files/b.txt").want(t, 204)
	s.missing("b.txt")
	remove("/files/b.txt").want(t, 404)
	remove("/files/sub").want(t, 409)
	remove("/files/").want(t, 403, 405, 409)
	remove("/files/.sluice/uploads").want(t, 400, 403, 404)
	if got := s.stored(); !slices.Equal(got, []string{"sub"}) {
		t.Errorf("the disk holds %q, want sub", got)
	}
	remove("/files/sub/a.txt").want(t, 204)
	remove("/files/sub").want(t, 204)
	if got := s.stored(); len(got) != 0 {
		t.Errorf("the disk holds %q, want nothing", got)
	}
}

// A file and a folder cannot stand under one name.
func TestFileAndFolderCollide(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("sub/a.txt", "1")
	s.put("file", "2")
	for _, path := range []string{"/files/sub", "/files/sub/", "/files/file/below", "/files/"} {
		curlWith(t, strings.NewReader("x"), "--data-binary", "@-", "-X", "PUT", s.url(path)).want(t, 400, 409)
	}
	curl(t, s.url("/files/file/")).want(t, 404)
	if string(read(t, s.file("sub/a.txt"))) != "1" || string(read(t, s.file("file"))) != "2" {
		t.Error("the files have changed")
	}
}

// An empty file is a file.
//
// https://github.com/tus/tus-js-client/issues/106
// https://github.com/tomdesair/tus-java-server/issues/73
// https://github.com/tusdotnet/tusdotnet/issues/119
// https://github.com/owncloud/ocis/issues/3599
// https://github.com/seaweedfs/seaweedfs/issues/372
func TestEmptyFile(t *testing.T) {
	t.Parallel()
	empty := content(t, 0)
	s := start(t)
	for _, test := range []struct {
		name string
		send func()
	}{
		{"PUT", func() { sendPUT(t, s, empty, "PUT") }},
		{"chunked", func() { sendChunked(t, s, empty, "chunked") }},
		{"form", func() { sendForm(t, s, empty, "form") }},
		{"tus", func() { s.createTus("tus", 0) }},
		{"tus, length told later", func() { emptyDeferred(t, s, "tus, length told later") }},
		{"tus-js-client", func() { sendTus(t, s, empty, "tus-js-client") }},
	} {
		test.send()
		sameFile(t, s.file(test.name), empty)
		for _, a := range []answer{curl(t, s.fileURL(test.name)), curlHead(t, s.fileURL(test.name))} {
			if a.want(t, 200); a.header.Get("Content-Length") != "0" || len(a.body) != 0 {
				t.Errorf("%s: Content-Length %q and %d bytes, want 0", test.name, a.header.Get("Content-Length"), len(a.body))
			}
		}
		a := curl(t, "--range", "0-0", s.fileURL(test.name)).want(t, 416)
		if got := a.header.Get("Content-Range"); got != "bytes */0" {
			t.Errorf("%s: Content-Range %q", test.name, got)
		}
	}
	var got listing
	if curl(t, "-H", "Accept: application/json", s.url("/files/")).decode(t, &got); len(got.Entries) != 6 {
		t.Errorf("the listing is %+v, want 6 empty files", got)
	}
	if text := string(s.metricsText()); strings.Contains(text, "NaN") {
		t.Error("the metrics hold NaN")
	}
}

// emptyDeferred makes an upload whose length is only told, as 0, by a PATCH.
func emptyDeferred(t *testing.T, s *server, name string) {
	t.Helper()
	path := curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Defer-Length: 1", "-H", tusName(name), s.url("/tus/")).want(t, 201).header.Get("Location")
	curl(t, "-X", "PATCH", "-H", tusVersion, "-H", tusType, "-H", "Upload-Offset: 0", "-H", "Upload-Length: 0", s.url(path)).want(t, 204)
	a := curlHead(t, "-H", tusVersion, s.url(path)).want(t, 200)
	if offset, size := a.header.Get("Upload-Offset"), a.header.Get("Upload-Length"); offset != "0" || size != "0" {
		t.Errorf("the upload is at %q of %q, want 0 of 0", offset, size)
	}
}
