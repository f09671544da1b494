package e2e_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func pageHostileNames(t *testing.T, st *theatre) {
	names := []string{
		`<img src=x onerror=alert(1)>.txt`, `"><svg onload=alert(2)>`, `' onmouseover='alert(3)`, `javascript:alert(4)`, `{{7*7}}${alert(5)}`, `<b>bold</b`, "\u202etxt.exe",
	}
	top := folder(t)
	var paths []string
	for _, name := range names {
		path := filepath.Join(top, strings.ReplaceAll(name, "/", "∕"))
		if err := os.WriteFile(path, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	var shown []string
	for _, name := range names {
		shown = append(shown, asShown(name))
	}
	s := start(t)
	s.put("<script>alert(1)</script>/in.txt", "content")
	st.play(t, "hostileNames", s.page(), props{"paths": paths, "names": names, "shown": shown, "missing": []string{
		"files/%3Cscript%3Ealert(1)%3C%2Fscript%3E/none", "%3Cimg%20src=x%20onerror=alert(1)%3E", "files/%22%3E%3Csvg%20onload=alert(1)%3E/",
	}}, nil)
}

// https://github.com/appwrite/appwrite/pull/13404
// https://github.com/shish/shimmie2/issues/631
func pageStoredScripts(t *testing.T, st *theatre) {
	const run = `<script>window.harm = 1; alert(1)</script>`
	stored := map[string]string{
		"x.html": "<!doctype html>" + run, "x.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml"><body>` + run + `</body></html>`,
		"x.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">` + run + `</svg>`,
		"x.xml": `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="x.xsl"?><a>` + run + `</a>`,
		"x.js":  "window.harm = 1; alert(1)", "x": "<html>" + run, "x.png": "<html>" + run, "x.txt": "<html>" + run, "x.md": run,
	}
	s := start(t)
	var names []string
	for name, text := range stored {
		s.put(name, text)
		names = append(names, name)
	}
	st.play(t, "storedScripts", s.page(), props{"names": names}, nil)
}

// A page on another port of the same machine is somebody else's.
//
// https://github.com/bacnh85/pi-extensions/issues/7
func pageForeign(t *testing.T, st *theatre) {
	s := start(t)
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<!doctype html><form method="post" enctype="multipart/form-data" action="%s">
			<textarea name="file">content</textarea><button>Win a prize</button></form>
			<script>
				const files = new DataTransfer()
				files.items.add(new File(["content"], "evil.txt"))
				const input = Object.assign(document.createElement("input"), {type: "file", name: "file", hidden: true})
				input.files = files.files
				document.forms[0].append(input)
			</script>`, html.EscapeString(s.url("/files/")))
	}))
	t.Cleanup(foreign.Close)
	st.play(t, "foreignForm", s.page(), props{"page": foreign.URL}, nil)
	if got := s.stored(); len(got) != 0 {
		t.Errorf("the disk holds %q", got)
	}

	// One that may uses all of tus.
	path := called(t, "allowed.bin", 3*mib)
	pages := httptest.NewServer(http.StripPrefix("/clients/", http.FileServer(http.Dir("clients"))))
	t.Cleanup(pages.Close)
	allows := start(t, "--cors-origins", pages.URL)
	st.play(t, "foreignTus", allows.page(), props{"page": pages.URL + "/clients/page.html", "paths": []string{path}, "name": "allowed.bin"}, nil)
	sameFile(t, allows.file("allowed.bin"), path)
}
