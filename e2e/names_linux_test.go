package e2e_test

import (
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
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
	{`$(touch x) && "y" 'z' | *.txt`, "$(touch%20x)%20&&%20%22y%22%20'z'%20%7C%20*.txt"},
	{"`id`", "%60id%60"},
	{"-rf", "-rf"},
	{"~", "~"},
	{"&lt;b&gt;.txt", "&lt;b&gt;.txt"},
	{"javascript:alert(1)", "javascript:alert(1)"},
	{"{{.Name}}", "%7B%7B.Name%7D%7D"},
	{"..a", "..a"},
	{"a..", "a.."},
	{"..;", "..;"},
	{strings.Repeat("é", 127) + "x", strings.Repeat("%C3%A9", 127) + "x"}, // 255 bytes
}

// nameWays store a content under a name, as bytes of the wire, in the root
// folder; escaped is the name as a path has it.
var nameWays = map[string]func(s *server, name, escaped, content string) answer{
	"PUT": func(s *server, _, escaped, content string) answer {
		return curlWith(s.t, strings.NewReader(content), "-T", "-", "--globoff", s.url("/files/"+escaped))
	},
	// As browsers write it (HTML, multipart form data).
	"form": func(s *server, name, _, content string) answer {
		name = strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A").Replace(name)
		form := partHead(name) + content + formTail
		return curlWith(s.t, strings.NewReader(form), "--data-binary", "@-", "-H", formType, s.url("/files/"))
	},
	// As other clients do (RFC 9110 section 5.6.4).
	"form with quoted pairs": func(s *server, name, _, content string) answer {
		form := partHead(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)) + content + formTail
		return curlWith(s.t, strings.NewReader(form), "--data-binary", "@-", "-H", formType, s.url("/files/"))
	},
	"tus": func(s *server, name, _, content string) answer {
		return curlWith(s.t, strings.NewReader(content), "-X", "POST", "-H", tusVersion, "-H", tusType, "-H", tusName(name),
			"-H", fmt.Sprintf("Upload-Length: %d", len(content)), "--data-binary", "@-", s.url("/tus/"))
	},
}

// A name goes in by each way and out unchanged, whatever it means elsewhere.
//
// https://github.com/fastify/fastify-static/issues/451
// https://github.com/expressjs/express/issues/1495
// https://github.com/svenstaro/miniserve/pull/485
// https://github.com/droppyjs/droppy/issues/72
// https://github.com/gtsteffaniak/filebrowser/issues/2823
func TestOddNames(t *testing.T) {
	t.Parallel()
	for way, send := range nameWays {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			var want []string
			for _, n := range oddNames {
				send(s, n.name, n.escaped, "content of "+n.name).want(t, 200, 201)
				want = append(want, n.name)
			}
			slices.Sort(want)
			if got := s.stored(); !slices.Equal(got, want) {
				t.Errorf("the disk holds\n%q, want\n%q", got, want)
			}
			outAndGone(t, s)
		})
	}
}

// outAndGone gets each of the odd files under its own address and under those of
// the listings, and removes it alone.
func outAndGone(t *testing.T, s *server) {
	t.Helper()
	c, links := s.client(), s.links()
	var list listing
	curl(t, "-H", "Accept: application/json", s.url("/files/")).want(t, 200).decode(t, &list)
	urls := make(map[string]string)
	for _, entry := range list.Entries {
		urls[entry.Name] = entry.URL
	}
	for _, n := range oddNames {
		for _, path := range []string{"/files/" + n.escaped, links[asShown(n.name)], urls[n.name]} {
			a, err := c.must("GET", path, nil, 0)
			if err != nil || string(a.body) != "content of "+n.name {
				t.Errorf("%s gives %q (%v), want the content of %q", path, a.body, err, n.name)
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

// asShown is a name as the page has it, where no mark turns the direction of
// writing.
func asShown(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return '\ufffd'
		}
		return r
	}, name)
}

// The path of a client's own system is no part of the name that it sends, but
// what it calls a file is kept (RFC 7578 section 4.2).
//
// https://github.com/418sec/huntr/pull/614
func TestFileNamesWithPaths(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, way := range []string{"form", "form with quoted pairs", "tus"} {
		for name, want := range map[string]string{
			`C:\dir\x.txt`: "x.txt", `\\server\share\y z.txt`: "y z.txt", "/home/me/a.txt": "a.txt", "dir/b.txt": "b.txt", `a\b.txt`: "b.txt", "100%.txt": "100%.txt",
		} {
			nameWays[way](s, name, "", "x").want(t, 200, 201)
			if got := s.stored(); !slices.Equal(got, []string{want}) {
				t.Errorf("%s of %q: the disk holds %q, want %q", way, name, got, want)
			}
			curl(t, "-X", "DELETE", s.fileURL(want)).want(t, 204)
		}
		for _, name := range []string{"dir/", `dir\`, "dir/..", `C:\dir\.`, ".sluice", ".SLUICE"} {
			nameWays[way](s, name, "", "x").want(t, 400)
		}
	}
	// filename* is not for forms (RFC 7578 section 4.2): filename counts.
	part := strings.Replace(partHead("plain.txt"), "filename=", "filename*=UTF-8''other.txt; filename=", 1)
	curlWith(t, strings.NewReader(part+formTail), "--data-binary", "@-", "-H", formType, s.url("/files/")).want(t, 200)
	if got := s.stored(); !slices.Equal(got, []string{"plain.txt"}) {
		t.Errorf("the disk holds %q, want plain.txt", got)
	}
}

var link = regexp.MustCompile(`<td><a href="([^"]*)">([^<]*)</a>`)

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
// https://github.com/derekelkins/sws/issues/13
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
		{"a.", "a.", true},
		{".part", ".part", true},
		{".sluice", ".sluice", false},
		{".Sluice", ".Sluice", false},
		{".", ".", false},
		{"..", "..", false},
		{" ", "%20", false},
		{"a\nb", "a%0Ab", false},
		{"a\rb", "a%0Db", false},
		{"\x1b[31m", "%1B%5B31m", false},
		{"a\x00b", "a%00b", false},
		{"\x7f", "%7F", false},
		{"\xff", "%FF", false},
		{"\xc0\xae", "%C0%AE", false},
		{"\xed\xa0\x80", "%ED%A0%80", false}, // half of a surrogate pair
		{"a\u0085b", "a%C2%85b", false},
		{strings.Repeat("x", 255), strings.Repeat("x", 255), true},
		{strings.Repeat("x", 256), strings.Repeat("x", 256), false},
		{strings.Repeat("é", 128), strings.Repeat("%C3%A9", 128), false},
	} {
		t.Run(fmt.Sprintf("%.20q", test.name), func(t *testing.T) {
			s := s.in(t)
			for way, send := range nameWays {
				if way == "form with quoted pairs" && strings.ContainsAny(test.name, "\r\n") {
					continue // quotes can't hold these
				}
				if a := send(s, test.name, test.escaped, way); a.success() != test.stored || !test.stored && a.status != 400 {
					t.Errorf("%s: status %d, want the name to be stored: %t", way, a.status, test.stored)
				}
				if test.stored && string(read(t, s.file(test.name))) != way {
					t.Errorf("%s: the content differs", way)
				}
			}
			if a := curl(t, "-X", "DELETE", s.url("/files/"+test.escaped)); a.success() != test.stored {
				t.Errorf("DELETE: status %d", a.status)
			}
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
