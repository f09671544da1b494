package e2e_test

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// metadata is an Upload-Metadata field.
func metadata(pairs ...string) string {
	var members []string
	for i := 0; i < len(pairs); i += 2 {
		members = append(members, pairs[i]+" "+base64.StdEncoding.EncodeToString([]byte(pairs[i+1])))
	}
	return "Upload-Metadata: " + strings.Join(members, ",")
}

// A finished upload is published under the name that its metadata says.
func TestTusNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, test := range []struct {
		name   string
		fields []string
		file   string // empty: refused
	}{
		{"file name", []string{"filename", "a.txt"}, "a.txt"},
		{"file name with a path", []string{"filename", `C:\Users\me\b.txt`}, "b.txt"},
		{"file out of a folder", []string{"filename", "c.txt", "relativePath", "photos/2026/c.txt"}, "photos/2026/c.txt"},
		{"absolute path out of a folder", []string{"filename", "d.txt", "relativePath", "/photos/d.txt"}, "photos/d.txt"},
		{"no folder", []string{"filename", "e.txt", "relativePath", "null"}, "e.txt"},
		{"folder", []string{"filename", "f.txt", "path", "music/new"}, "music/new/f.txt"},
		{"folder with slashes around", []string{"filename", "g.txt", "path", "/music/"}, "music/g.txt"},
		{"path that leads out", []string{"filename", "h.txt", "path", "../.."}, ""},
		{"relative path that leads out", []string{"filename", "h.txt", "relativePath", "a/../../h.txt"}, ""},
		{"reserved folder", []string{"filename", "h.info", "path", ".sluice/uploads"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := s.in(t)
			create := []string{"-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", "-H", metadata(test.fields...), s.url("/tus/")}
			if test.file == "" {
				curl(t, create...).wantProblem(t, 400)
				return
			}
			upload := curl(t, create...).want(t, 201).header.Get("Location")
			done := s.patch(upload, 0, []byte("hello")).want(t, 204)
			if got := string(read(t, s.file(test.file))); got != "hello" {
				t.Errorf("the file holds %q", got)
			}
			if got := done.header.Get("Content-Location"); got != "/files/"+test.file {
				t.Errorf("Content-Location %q", got)
			}
		})
	}
}

// The URL of an upload answers with what it has become.
func TestTusContent(t *testing.T) {
	t.Parallel()
	s := start(t)
	upload := s.createTus("page.html", 11)
	curl(t, s.url(upload)).wantProblem(t, 409)
	s.patch(upload, 0, []byte("hello")).want(t, 204)
	curl(t, s.url(upload)).wantProblem(t, 409)
	s.patch(upload, 5, []byte(" world")).want(t, 204)
	a := curl(t, s.url(upload)).want(t, 200)
	if string(a.body) != "hello world" || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%q, %v", a.body, a.header)
	}
	if part := curl(t, "-r", "6-", s.url(upload)).want(t, 206); string(part.body) != "world" {
		t.Errorf("range %q", part.body)
	}
	curlWith(t, strings.NewReader("another"), "-T", "-", s.fileURL("page.html")).want(t, 200)
	curl(t, s.url(upload)).wantProblem(t, 404)
	curl(t, "-X", "DELETE", s.fileURL("page.html")).want(t, 204)
	curl(t, s.url(upload)).wantProblem(t, 404)
	curl(t, s.url("/tus/"+strings.Repeat("0", 32))).wantProblem(t, 404)
}

// When an upload ends is told, and held (tus 1.0, "Expiration").
func TestUploadExpires(t *testing.T) {
	t.Parallel()
	s := start(t, "--upload-expiry", "1h")
	upload := s.createTus("f", 5)
	for what, header := range map[string]http.Header{
		"PATCH": s.patch(upload, 0, []byte("hel")).want(t, 204).header,
		"HEAD":  curlHead(t, "-H", tusVersion, s.url(upload)).want(t, 200).header,
	} {
		expires, err := http.ParseTime(header.Get("Upload-Expires"))
		if left := time.Until(expires); err != nil || left < 55*time.Minute || left > time.Hour {
			t.Errorf("%s: Upload-Expires %q, %v", what, header.Get("Upload-Expires"), err)
		}
	}
	past := time.Now().Add(-2 * time.Hour)
	for _, file := range []string{"", ".info"} {
		if err := os.Chtimes(s.file(".sluice/uploads/"+filepath.Base(upload)+file), past, past); err != nil {
			t.Fatal(err)
		}
	}
	curlHead(t, "-H", tusVersion, s.url(upload)).want(t, 410)
	s.patch(upload, 3, []byte("lo")).wantProblem(t, 410)
}
