package storage_test

import (
	"errors"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sluice/storage"
)

func TestParseName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 255)
	for _, test := range []struct{ in, want string }{
		{"", ""}, {"/", ""}, {"a", "a"}, {"a/", "a"}, {"a/b c/d", "a/b c/d"},
		{"100%.txt", "100%.txt"}, {"a?b#c&d;e=f.txt", "a?b#c&d;e=f.txt"}, {`a"b'c[x]`, `a"b'c[x]`},
		{" lead", " lead"}, {"trail ", "trail "}, {"...", "..."}, {".htaccess", ".htaccess"}, {"x.info", "x.info"},
		{"cafe\u0301.txt", "cafe\u0301.txt"}, {"caf\u00e9.txt", "caf\u00e9.txt"}, {"\u202etxt.exe", "\u202etxt.exe"},
		{"%2e%2e%2fcanary", "%2e%2e%2fcanary"}, {long, long}, {"a/.sluice", "a/.sluice"}, {".sluice2", ".sluice2"},
	} {
		name, err := storage.ParseName(test.in)
		if err != nil || name.String() != test.want {
			t.Errorf("ParseName(%q) = %q, %v; want %q", test.in, name, err, test.want)
		}
	}
	for _, in := range []string{
		"//", "/a", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\x00b", "a\nb", "a\rb", "\x1b[31m", "a\x7f", "a\u0085b",
		"\xff", "\xc0\xae\xc0\xae/canary", `..\canary`, `a\b`, long + "x", " ", "a/ /b", ".sluice", ".sluice/uploads/x", ".SLUICE/x",
		strings.Repeat("a/", 2000) + "a",
	} {
		if name, err := storage.ParseName(in); !errors.Is(err, storage.ErrName) {
			t.Errorf("ParseName(%q) = %q, %v; want ErrName", in, name, err)
		}
	}
}

func TestParseFileName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a.txt": "a.txt", "../canary": "canary", `..\canary`: "canary", "/tmp/canary": "canary", `C:\dir\a b.txt`: "a b.txt",
	} {
		name, err := storage.ParseFileName(in)
		if err != nil || name.String() != want {
			t.Errorf("ParseFileName(%q) = %q, %v; want %q", in, name, err, want)
		}
	}
	for _, in := range []string{"", "a/", `a\`, "..", "a/..", ".sluice", "a\x00"} {
		if name, err := storage.ParseFileName(in); !errors.Is(err, storage.ErrName) {
			t.Errorf("ParseFileName(%q) = %q, %v; want ErrName", in, name, err)
		}
	}
}

func TestNameParts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, base, parent string }{{"", "", ""}, {"a", "a", ""}, {"a/b/c", "c", "a/b"}} {
		name, err := storage.ParseName(test.name)
		if err != nil {
			t.Fatal(err)
		}
		if name.Base() != test.base || name.Parent().String() != test.parent {
			t.Errorf("%q has base %q and parent %q", test.name, name.Base(), name.Parent())
		}
	}
}

// FuzzParseName: what is accepted is a clean relative path that stays below the
// root, outside the reserved folder, and parses to itself again.
func FuzzParseName(f *testing.F) {
	for _, seed := range []string{"a/b", "../a", ".sluice/x", "a\x00", "a//b", "ü/", `a\b`, "..", "a/../..", ".SLUICE", "a\u0085", "\xc0\xae"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		name, err := storage.ParseName(in)
		if err != nil || name.IsRoot() {
			return
		}
		s := name.String()
		if path.Clean("/"+s) != "/"+s || strings.TrimSuffix(in, "/") != s || !filepath.IsLocal(s) {
			t.Fatalf("ParseName(%q) = %q, not clean", in, s)
		}
		if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || strings.Contains(s, `\`) {
			t.Fatalf("ParseName(%q) takes characters that it says it refuses", in)
		}
		if len(name.Base()) > storage.MaxSegment || name.Base() == "" {
			t.Fatalf("ParseName(%q) has a base of %d bytes", in, len(name.Base()))
		}
		if joined, err := name.Parent().Join(mustParse(t, name.Base())); err != nil || joined != name {
			t.Fatalf("parent and base of %q give %q, %v", s, joined, err)
		}
		if first, _, _ := strings.Cut(s, "/"); strings.EqualFold(first, storage.Reserved) {
			t.Fatalf("ParseName(%q) reaches the reserved folder", in)
		}
		if again, err := storage.ParseName(s); err != nil || again != name {
			t.Fatalf("ParseName(%q) isn't stable: %q, %v", in, again, err)
		}
	})
}

// mustParse parses a segment, which may have the reserved name below the root.
func mustParse(t *testing.T, segment string) storage.Name {
	t.Helper()
	name, err := storage.ParseName(segment)
	if err != nil {
		t.Skip(err)
	}
	return name
}

// FuzzParseFileName: what a client calls its file is one segment in the root,
// and the last one that it sent.
func FuzzParseFileName(f *testing.F) {
	for _, seed := range []string{"a b.txt", "../canary", `C:\dir\x.txt`, `a\`, "a/..", ".sluice", "x\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		name, err := storage.ParseFileName(in)
		if err != nil {
			return
		}
		s := name.String()
		if s == "" || s != name.Base() || !strings.HasSuffix(in, s) || !filepath.IsLocal(s) || strings.EqualFold(s, storage.Reserved) {
			t.Fatalf("ParseFileName(%q) = %q", in, s)
		}
		if rest := strings.TrimSuffix(in, s); rest != "" && !strings.HasSuffix(rest, "/") && !strings.HasSuffix(rest, `\`) {
			t.Fatalf("ParseFileName(%q) = %q, which is no whole segment", in, s)
		}
	})
}
