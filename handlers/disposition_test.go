package handlers

import (
	"mime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDisposition(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"plain.txt":       `attachment; filename="plain.txt"; filename*=UTF-8''plain.txt`,
		"my file.txt":     `attachment; filename="my file.txt"; filename*=UTF-8''my%20file.txt`,
		"한글.pdf":          `attachment; filename="__.pdf"; filename*=UTF-8''%ED%95%9C%EA%B8%80.pdf`,
		`naïve "q".txt`:   `attachment; filename="na_ve _q_.txt"; filename*=UTF-8''na%C3%AFve%20%22q%22.txt`,
		"a;b.txt":         `attachment; filename="a;b.txt"; filename*=UTF-8''a%3Bb.txt`,
		"100%.txt":        `attachment; filename="100%.txt"; filename*=UTF-8''100%25.txt`,
		"%41%.txt":        `attachment; filename="_41%.txt"; filename*=UTF-8''%2541%25.txt`,
		"😀.bin":           `attachment; filename="_.bin"; filename*=UTF-8''%F0%9F%98%80.bin`,
		"\u202etxt.exe":   `attachment; filename="_txt.exe"; filename*=UTF-8''%E2%80%AEtxt.exe`,
		"a+b'c(d)*.txt":   `attachment; filename="a+b'c(d)*.txt"; filename*=UTF-8''a%2Bb%27c%28d%29%2A.txt`,
		"a\r\nX: y\\.txt": `attachment; filename="a__X: y_.txt"; filename*=UTF-8''a%0D%0AX%3A%20y%5C.txt`,
	} {
		if got := disposition(saved, name); got != want {
			t.Errorf("%q: %s\nwant %s", name, got, want)
		}
		checkDisposition(t, shown, name)
	}
	checkDisposition(t, saved, strings.Repeat("ü", 127)+"x")
}

// checkDisposition reads the field as a client does.
func checkDisposition(t *testing.T, kind, name string) {
	t.Helper()
	field := disposition(kind, name)
	if strings.ContainsFunc(field, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("%q: %q is not one line of ASCII", name, field)
	}
	gotKind, params, err := mime.ParseMediaType(field)
	if err != nil || gotKind != kind || params["filename"] != name || len(params) != 1 {
		t.Errorf("%q: %s reads as %s %q, %v", name, field, gotKind, params, err)
	}
	// Who doesn't know RFC 8187 reads the first parameter alone.
	_, params, err = mime.ParseMediaType(field[:strings.Index(field, "; filename*=")])
	if fallback := params["filename"]; err != nil || utf8.RuneCountInString(fallback) != utf8.RuneCountInString(name) {
		t.Errorf("%q: the fallback reads as %q, %v", name, fallback, err)
	}
}

func FuzzDisposition(f *testing.F) {
	f.Fuzz(func(t *testing.T, name string) {
		if name == "" || !utf8.ValidString(name) {
			return // no name of a file
		}
		checkDisposition(t, saved, name)
	})
}
