package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What users have stored must not run in the browsers of others, whatever the
// answer.
//
// https://github.com/multica-ai/multica/issues/3022
func TestStoredPagesDoNotRun(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, name := range []string{"x.html", "x.svg", "x.xhtml", "x.xml", "x.js", "x.pdf", "x", "x.png", "x.txt"} {
		s.put(name, "<script>alert(1)</script>")
		for _, args := range [][]string{
			nil, {"--head", "--output", os.DevNull}, {"-H", "Range: bytes=0-4"}, {"-H", "Range: bytes=90-"}, {"-H", "If-None-Match: *"}, {"-H", `If-Match: "x"`},
		} {
			args = append(args, s.fileURL(name))
			a := curl(t, args...).want(t, 200, 206, 304, 412, 416)
			checkSandbox(t, strings.Join(args, " "), a.header)
			if a.success() && name != "x.png" && name != "x.txt" {
				checkSaved(t, name, a.header)
			}
		}
	}
	for _, path := range []string{"/files/none", "/files/x.html/", "/files/a%00", "/none", "/files/?archive=x"} {
		checkSandbox(t, path, curl(t, s.url(path)).want(t, 400, 404).header)
	}
}

func checkSandbox(t *testing.T, what string, header http.Header) {
	t.Helper()
	for field, want := range map[string]string{
		"X-Content-Type-Options":       "nosniff",
		"Content-Security-Policy":      "sandbox; default-src 'none'",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := header.Get(field); got != want {
			t.Errorf("%s: %s %q, want %q", what, field, got, want)
		}
	}
}

func checkSaved(t *testing.T, what string, header http.Header) {
	t.Helper()
	if got := header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment;") {
		t.Errorf("%s: Content-Disposition %q", what, got)
	}
}

// Types come from the name, and are the same on every machine.
func TestContentType(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, want := range map[string]struct{ kind, disposition string }{
		"a.txt":         {"text/plain; charset=utf-8", "inline"},
		"a.html":        {"text/html; charset=utf-8", "attachment"},
		"a.SVG":         {"image/svg+xml", "attachment"},
		"a.js":          {"text/javascript; charset=utf-8", "attachment"},
		"a.pdf":         {"application/pdf", "attachment"},
		"a.png":         {"image/png", "inline"},
		"a.mp4":         {"video/mp4", "inline"},
		"a.xhtml":       {"application/xhtml+xml", "attachment"},
		"no extension":  {"application/octet-stream", "attachment"},
		"a.unheard-of":  {"application/octet-stream", "attachment"},
		"html.png.html": {"text/html; charset=utf-8", "attachment"},
	} {
		s.put(name, "<html>")
		header := curl(t, s.fileURL(name)).want(t, 200).header
		kind, disposition := header.Get("Content-Type"), header.Get("Content-Disposition")
		if kind != want.kind || !strings.HasPrefix(disposition, want.disposition+";") {
			t.Errorf("%s: %s, %s; want %v", name, kind, disposition, want)
		}
	}
}

// What is saved has the name under which it was stored; clients that don't know
// RFC 8187, as this curl, get the nearest in ASCII.
//
// https://github.com/advisories/GHSA-9cx9-x2gp-9qvh
// https://github.com/golang/go/issues/75557
func TestSavedName(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, test := range []struct{ name, ascii, escaped string }{
		{"plain.txt", "plain.txt", "plain.txt"},
		{"my file.txt", "my file.txt", "my%20file.txt"},
		{"한글.pdf", "__.pdf", "%ED%95%9C%EA%B8%80.pdf"},
		{`naïve "q".txt`, "na_ve _q_.txt", "na%C3%AFve%20%22q%22.txt"},
		{"a;b.txt", "a;b.txt", "a%3Bb.txt"},
		{"100%.txt", "100%.txt", "100%25.txt"},
		{"a%20b.txt", "a_20b.txt", "a%2520b.txt"},
		{"😀.bin", "_.bin", "%F0%9F%98%80.bin"},
		{"\u202etxt.exe", "_txt.exe", "%E2%80%AEtxt.exe"},
		{strings.Repeat("x", 251) + ".png", strings.Repeat("x", 251) + ".png", strings.Repeat("x", 251) + ".png"},
		{strings.Repeat("ü", 125) + ".png", strings.Repeat("_", 125) + ".png", strings.Repeat("%C3%BC", 125) + ".png"},
	} {
		s.put("folder/"+test.name, "content")
		got := curl(t, s.fileURL("folder/"+test.name)).want(t, 200).header.Values("Content-Disposition")
		want := `filename="` + test.ascii + `"; filename*=UTF-8''` + test.escaped
		if len(got) != 1 || got[0] != "attachment; "+want && got[0] != "inline; "+want {
			t.Errorf("%s: Content-Disposition %q, want %s", test.name, got, want)
		}
		dir := folder(t)
		cmd, err := curlCommand("-OJ", "--output-dir", dir, s.fileURL("folder/"+test.name))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", test.name, err, out)
		}
		saved, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(saved) != 1 || saved[0].Name() != test.ascii || string(read(t, filepath.Join(dir, test.ascii))) != "content" {
			t.Errorf("%s: curl -OJ has saved %v, want %s", test.name, saved, test.ascii)
		}
	}
}
