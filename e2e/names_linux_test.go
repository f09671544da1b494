package e2e_test

import (
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oddNames are legal on the disk and special in URLs, with their encodings.
var oddNames = []struct{ name, escaped string }{
	{"a b.txt", "a%20b.txt"},
	{"a+b.txt", "a+b.txt"},
	{"a+b.txt2", "a%2Bb.txt2"},
	{"100%.txt", "100%25.txt"},
	{"a%20b.txt", "a%2520b.txt"},
	{"a", "a"},
	{"a?b.txt", "a%3Fb.txt"},
	{"a#b.txt", "a%23b.txt"},
	{"a&b;c=d.txt", "a&b;c=d.txt"},
	{"a:b.txt", "a:b.txt"},
	{`a"b.txt`, "a%22b.txt"},
	{"a'b.txt", "a'b.txt"},
	{"[x].txt", "%5Bx%5D.txt"},
	{"%2e%2e%2fcanary", "%252e%252e%252fcanary"},
	{"\u202etxt.exe", "%E2%80%AEtxt.exe"},
	{"<script>.txt", "%3Cscript%3E.txt"},
	{"caf\u00e9.txt", "caf%C3%A9.txt"},
	{"cafe\u0301.txt", "cafe%CC%81.txt"},
	{"👩‍👩‍👧.txt", "%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7.txt"},
	{"...", "..."},
	{" lead", "%20lead"},
	{"trail.", "trail."},
	{".htaccess", ".htaccess"},
	{"x.part", "x.part"},
	{"x.info", "x.info"},
	{"CON", "CON"},
}

// A name goes in and out unchanged, whatever it means elsewhere.
//
// https://github.com/fastify/fastify-static/issues/451
// https://github.com/svenstaro/miniserve/pull/485
// https://github.com/droppyjs/droppy/issues/72
func TestOddNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	var want []string
	for _, n := range oddNames {
		curlWith(t, strings.NewReader("content of "+n.name), "-T", "-", "--globoff", s.url("/files/"+n.escaped)).want(t, 201)
		want = append(want, n.name)
	}
	slices.Sort(want)
	if got := s.stored(); !slices.Equal(got, want) {
		t.Errorf("the disk holds\n%q, want\n%q", got, want)
	}
	links := s.links()
	var list listing
	curl(t, "-H", "Accept: application/json", s.url("/files/")).want(t, 200).decode(t, &list)
	urls := make(map[string]string)
	for _, entry := range list.Entries {
		urls[entry.Name] = entry.URL
	}
	for _, n := range oddNames {
		for _, url := range []string{"/files/" + n.escaped, links[n.name], urls[n.name]} {
			if a := curl(t, "--globoff", s.url(url)).want(t, 200); string(a.body) != "content of "+n.name {
				t.Errorf("%s gives %q, want the content of %q", url, a.body, n.name)
			}
		}
	}
	for i, n := range oddNames {
		curl(t, "--globoff", "-X", "DELETE", s.url("/files/"+n.escaped)).want(t, 204)
		curl(t, "--globoff", s.url("/files/"+n.escaped)).want(t, 404)
		if got := len(s.stored()); got != len(oddNames)-i-1 {
			t.Fatalf("%d files are left after %d were removed", got, i+1)
		}
	}
}

var link = regexp.MustCompile(`<a href="([^"]*)">([^<]*)</a>`)

// links are the files that the root's page lists, with their addresses.
func (s *server) links() map[string]string {
	s.t.Helper()
	page := curl(s.t, "-H", "Accept: text/html", s.url("/files/")).want(s.t, 200)
	found := make(map[string]string)
	for _, match := range link.FindAllSubmatch(page.body, -1) {
		found[html.UnescapeString(string(match[2]))] = html.UnescapeString(string(match[1]))
	}
	return found
}

// Every way in keeps the same names, or refuses them alike.
//
// https://github.com/9001/copyparty/issues/1401
// https://github.com/yunyu/SpeechDrop/pull/51
func TestNamesAlikeByEachWay(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, test := range []struct {
		name    string // as bytes of the wire
		escaped string
		stored  bool
	}{
		{"plain.txt", "plain.txt", true},
		{"...", "...", true},
		{" lead", "%20lead", true},
		{"trail ", "trail%20", true},
		{"nul.txt", "nul.txt", true},
		{".", ".", false},
		{"..", "..", false},
		{" ", "%20", false},
		{"a\nb", "a%0Ab", false},
		{"a\rb", "a%0Db", false},
		{"\x1b[31m", "%1B%5B31m", false},
		{"a\x00b", "a%00b", false},
		{"\x7f", "%7F", false},
		{"\xff", "%FF", false},
		{strings.Repeat("x", 255), strings.Repeat("x", 255), true},
		{strings.Repeat("x", 256), strings.Repeat("x", 256), false},
	} {
		t.Run(fmt.Sprintf("%.20q", test.name), func(t *testing.T) {
			s := s.in(t)
			statuses := map[string]int{
				"PUT": curlWith(t, strings.NewReader("x"), "-T", "-", s.url("/files/"+test.escaped)).status,
				"tus": s.tryTus(test.name),
			}
			if !strings.ContainsAny(test.name, "\r\n\x00") { // a form's header can't hold these
				part := partHead(test.name) + "x" + formTail
				statuses["form"] = curlWith(t, strings.NewReader(part), "--data-binary", "@-", "-H", formType, s.url("/files/")).status
			}
			for way, status := range statuses {
				if ok := status >= 200 && status < 300; ok != test.stored || (!ok && status != 400 && status != 409) {
					t.Errorf("%s: status %d, want the name to be stored: %t", way, status, test.stored)
				}
			}
			if test.stored && string(read(t, s.file(test.name))) != "x" {
				t.Error("the content differs")
			}
			curl(t, "-X", "DELETE", s.url("/files/"+test.escaped))
			if left := s.stored(); len(left) > 0 {
				t.Errorf("the disk holds %q", left)
			}
		})
	}
}

// tryTus uploads one byte under a name and returns the status that says how
// that went.
func (s *server) tryTus(name string) int {
	s.t.Helper()
	return curlWith(s.t, strings.NewReader("x"), "-X", "POST", "-H", tusVersion, "-H", tusType, "-H", "Upload-Length: 1",
		"-H", "Upload-Metadata: filename "+base64.StdEncoding.EncodeToString([]byte(name)), "--data-binary", "@-", s.url("/tus/")).status
}
