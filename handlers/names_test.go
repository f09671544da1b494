package handlers

import (
	"bytes"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/valyala/fasthttp"

	"sluice/storage"
	"sluice/web"
)

var href = regexp.MustCompile(`<td><a href="([^"]*)">([^<]*)</a></td>`)

// FuzzNameURL: a name comes back from the address that answers and listings
// have for it, through whatever reads addresses on the way.
func FuzzNameURL(f *testing.F) {
	for _, seed := range []string{
		"a b.txt", "a+b", "100%.txt", "a%20b", "a?b#c", "a&b;c=d:e@f", `"'<>[]{}|^` + "`", "%2e%2e%2fcanary", "é/👩‍👩‍👧",
		"\u202etxt.exe", "...", "javascript:alert(1)", "//host", "a,b$c!d*e(f)",
	} {
		f.Add(seed)
	}
	page, err := web.New()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string) {
		name, err := storage.ParseName(in)
		if err != nil || name.IsRoot() {
			return
		}
		back := func(by, address string) {
			t.Helper()
			if got, err := nameOfPath(address); err != nil || got != name {
				t.Errorf("%q by %s %q comes back as %q, %v", in, by, address, got, err)
			}
		}
		address := links{}.path(storage.Info{Name: name})
		back("Location", address)

		parsed, err := url.Parse(address)
		if err != nil || parsed.Host != "" || parsed.RawQuery != "" || parsed.Fragment != "" {
			t.Fatalf("%q is at %q, which parses as %+v, %v", in, address, parsed, err)
		}
		back("net/url", parsed.EscapedPath())

		var uri fasthttp.URI
		if err := uri.Parse(nil, []byte(address)); err != nil {
			t.Fatal(err)
		}
		back("fasthttp", string(uri.PathOriginal()))

		var shown bytes.Buffer
		if err := page.Render(&shown, listing{Entries: []listed{{Name: name.Base(), URL: address}}}.view("")); err != nil {
			t.Fatal(err)
		}
		match := href.FindSubmatch(shown.Bytes())
		if match == nil {
			t.Fatalf("%q has no link on its page:\n%s", in, &shown)
		}
		back("the page", html.UnescapeString(string(match[1])))
		safe := strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Bidi_Control, r) {
				return '\ufffd'
			}
			return r
		}, name.Base())
		if got := html.UnescapeString(string(match[2])); got != safe {
			t.Errorf("%q is shown as %q", in, got)
		}
		if strings.HasSuffix(address, "/") {
			t.Errorf("%q is at %q, which is a folder's address", in, address)
		}
	})
}
