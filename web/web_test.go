package web

import (
	"strings"
	"testing"
	"testing/fstest"
)

// A build is found by its manifest, with what is compressed beside it.
func TestBuild(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for name, content := range map[string]string{
		"manifest.json": `{"script":"main-1.js","early":"early-1.js","style":"style-1.css","icon":"icon-1.svg"}`,
		"main-1.js":     "main", "main-1.js.br": "br", "main-1.js.gz": "gz", "early-1.js": "early", "style-1.css": "style", "icon-1.svg": "<svg/>", "README": "note",
	} {
		files["dist/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	p, err := read(files)
	if err != nil {
		t.Fatal(err)
	}
	asset, ok := p.Asset("main-1.js")
	if !ok || string(asset.Content) != "main" || string(asset.Brotli) != "br" || string(asset.Gzip) != "gz" || asset.Type != "text/javascript; charset=utf-8" {
		t.Errorf("script is %+v", asset)
	}
	for _, name := range []string{"README", "manifest.json", "main-1.js.br", "", "../page.html"} {
		if _, ok := p.Asset(name); ok {
			t.Errorf("%q is part of the page", name)
		}
	}
	if html := render(t, p, View{Listed: true}); !strings.Contains(html, `src="/assets/main-1.js"`) {
		t.Errorf("the page doesn't run its script:\n%s", html)
	}
	if html := render(t, p, View{Listed: true, Nonce: "once"}); strings.Count(html, "<script") != strings.Count(html, `<script nonce="once"`) {
		t.Errorf("a script has no nonce:\n%s", html)
	}
	if html := render(t, p, View{Problem: &Problem{Title: "Gone"}}); strings.Contains(html, "main-1.js") {
		t.Errorf("a problem runs the script:\n%s", html)
	}
	if html := render(t, p, View{Listed: true, URL: "/files/a/", Folder: "a", Query: "link=a%2Bb"}); strings.Contains(html, "main-1.js") ||
		!strings.Contains(html, `action="/files/a/?link=a%2Bb"`) || !strings.Contains(html, `href="/files/a/?archive=zip&amp;link=a%2Bb"`) {
		t.Errorf("who comes by a link gets:\n%s", html)
	}
	delete(files, "dist/style-1.css")
	if _, err := read(files); err == nil {
		t.Error("half a build is taken")
	}
}

func render(t *testing.T, p *Page, v View) string {
	t.Helper()
	var out strings.Builder
	if err := p.Render(&out, v); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Without a build there is a page all the same.
func TestNoBuild(t *testing.T) {
	t.Parallel()
	p, err := read(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	html := render(t, p, View{
		Base: "/up", Folder: `a/<script>alert(1)</script>`, URL: "/up/files/a/%3Cscript%3E/", Listed: true,
		Entries: []Entry{{Name: `"><img src=x onerror=alert(1)>`, URL: "javascript:alert(1)"}},
	})
	for _, bad := range []string{"<script", "<img", "javascript:"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %s:\n%s", bad, html)
		}
	}
	for _, good := range []string{`href="/up/files/a/"`, `action="/up/files/a/%3Cscript%3E/"`, `href="/up/assets/` + p.names.Style} {
		if !strings.Contains(html, good) {
			t.Errorf("the page has no %s:\n%s", good, html)
		}
	}
	if asset, ok := p.Asset(p.names.Style); !ok || p.Built() || len(asset.Content) == 0 {
		t.Error("the page has no style, or says that it was built")
	}
}
