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
	if html := render(t, p, View{Listed: true, Sends: true, URL: "/files/a/", Folder: "a", Query: "link=a%2Bb"}); !strings.Contains(html, "main-1.js") ||
		!strings.Contains(html, `action="/files/a/?link=a%2Bb"`) || !strings.Contains(html, `href="/files/a/?archive=zip&amp;link=a%2Bb"`) {
		t.Errorf("who comes by a link gets:\n%s", html)
	}
	drops := View{Drops: true, Sends: true, URL: "/files/a/", Folder: "a"}
	if html := render(t, p, drops); !strings.Contains(html, "main-1.js") || !strings.Contains(html, `action="/files/a/"`) || strings.Contains(html, "<table") {
		t.Errorf("a folder to send files to is:\n%s", html)
	}
	drops.Sent = []Entry{{Name: "\u202etxt.exe", Size: "1 B"}}
	if html := render(t, p, drops); strings.Contains(html, "main-1.js") || !strings.Contains(html, "\ufffdtxt.exe") {
		t.Errorf("after a form it is:\n%s", html)
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
		Base: "/up", Folder: `a/<script>`, URL: "/up/files/a/%3Cscript%3E/", Listed: true, Sends: true,
		Entries: []Entry{{Name: `"><img src=x onerror=alert(1)>`, URL: "javascript:alert(1)"}},
	})
	for _, bad := range []string{"<script", "<img", "javascript:"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %s:\n%s", bad, html)
		}
	}
	for _, good := range []string{`href="/up/files/"`, `href="/up/files/a/"`, `action="/up/files/a/%3Cscript%3E/"`, `href="/up/assets/` + p.names.Style} {
		if !strings.Contains(html, good) {
			t.Errorf("the page has no %s:\n%s", good, html)
		}
	}
	if asset, ok := p.Asset(p.names.Style); !ok || p.Built() || len(asset.Content) == 0 {
		t.Error("the page has no style, or says that it was built")
	}
}

// Above the caller's own folder there is nothing to lead to.
func TestCrumbs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		folder, url, top, query, want string
	}{
		{"", "/files/", "", "", "All files=/files/"},
		{"a/b", "/up/files/a/b/", "", "", "All files=/up/files/ a=/up/files/a/ b=/up/files/a/b/"},
		{"a b/ü", "/files/a%20b/%C3%BC/", "a b", "link=x", "a b=/files/a%20b/?link=x ü=/files/a%20b/%C3%BC/?link=x"},
		{"a/b", "/files/a/b/", "a/b", "", "b=/files/a/b/"},
	} {
		var got []string
		for _, c := range (View{Folder: test.folder, URL: test.url, Top: test.top, Query: test.query}).Crumbs() {
			got = append(got, c.Name+"="+c.URL)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("crumbs of %q below %q are %q, want %q", test.folder, test.top, got, test.want)
		}
	}
}
