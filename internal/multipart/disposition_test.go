package multipart_test

import (
	"mime"
	stdmultipart "mime/multipart"
	"strings"
	"testing"

	"sluice/internal/multipart"
)

// openPart reads a part with the given disposition.
func openPart(disposition string) (*multipart.Part, error) {
	body := "--B\r\nContent-Disposition: " + disposition + "\r\n\r\n\r\n--B--"
	r, err := multipart.NewReader(strings.NewReader(body), boundary, multipart.Limits{})
	if err != nil {
		return nil, err
	}
	return r.Next()
}

func TestNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, disposition, form, file string
	}{
		{"tokens", `form-data; name=f; filename=a.txt`, "f", "a.txt"},
		{"tokens with braces", `form-data; name=f; filename={a}`, "f", "{a}"},
		{"quoted", `form-data; name="a field"; filename="a b.txt"`, "a field", "a b.txt"},
		{"any order", `form-data; filename="a"; name="f"`, "f", "a"},
		{"no blanks", `form-data;name="f";filename="a"`, "f", "a"},
		{"many blanks", "form-data \t;  name = \"f\" ;\tfilename = \"a\" ; ", "f", "a"},
		{"unknown parameters", `form-data; name="f"; size=1; filename="a"`, "f", "a"},
		{"semicolon and equals", `form-data; name="f"; filename="a; name=b"`, "f", "a; name=b"},
		{"UTF-8", `form-data; name="ключ"; filename="naïve 👩‍👩‍👧.txt"`, "ключ", "naïve 👩‍👩‍👧.txt"},
		{"not UTF-8", "form-data; name=\"f\"; filename=\"caf\xe9\"", "f", "caf\xe9"},
		{"empty names", `form-data; name=""; filename=""`, "", ""},
		{"filename* counts for nothing", `form-data; name="f"; filename="a"; filename*=utf-8''b`, "f", "a"},
		{"filename* before it", `form-data; name="f"; filename*=utf-8''b; filename="a"`, "f", "a"},
		{"name* counts for nothing", `form-data; name="f"; name*=utf-8''b; filename="a"`, "f", "a"},

		{"browser: quote", `form-data; name="%22"; filename="a%22b"`, `"`, `a"b`},
		{"browser: CR and LF", `form-data; name="%0D%0A"; filename="a%0D%0Ab"`, "\r\n", "a\r\nb"},
		{"browser: other percent signs", `form-data; name="f"; filename="100%.txt%20%2F%0d%5C"`, "f", "100%.txt%20%2F%0d%5C"},
		{"browser: decoded once", `form-data; name="f"; filename="%%2222"`, "f", `%"22`},
		{"browser: backslash", `form-data; name="f"; filename="a\b"`, "f", `a\b`},
		{"browser: backslash before a bracket", `form-data; name="f"; filename="a\(1\).txt"`, "f", `a\(1\).txt`},
		{"browser: backslash before a semicolon", `form-data; name="f"; filename="a\;b"`, "f", `a\;b`},
		{"browser: backslash and quote", `form-data; name="f"; filename="a\%22b"`, "f", `a\"b`},
		{"browser: backslash at the end", `form-data; name="f"; filename="dir\"`, "f", `dir\`},
		{"browser: backslash at the end of both", `form-data; name="x\"; filename="y\"`, `x\`, `y\`},
		{"browser: backslash at the end of the name", `form-data; name="x\"; filename="y"`, `x\`, "y"},
		{"Windows path", `form-data; name="f"; filename="C:\dir\x.txt"`, "f", `C:\dir\x.txt`},
		{"Windows share", `form-data; name="f"; filename="\\server\share\x.txt"`, "f", `\server\share\x.txt`},

		{"quoted-pair: quote", `form-data; name="a\"b"; filename="c\"d"`, `a"b`, `c"d`},
		{"quoted-pair: backslash", `form-data; name="f"; filename="a\\b"`, "f", `a\b`},
		{"quoted-pair: backslash at the end", `form-data; name="f"; filename="a\\"`, "f", `a\`},
		{"quoted-pair: both", `form-data; name="f"; filename="a\\\"b"`, "f", `a\"b`},
		{"quoted-pair: quote and semicolon", `form-data; name="f"; filename="a\"; b"`, "f", `a"; b`},

		{"Go", stdmultipart.FileContentDisposition(`a"b\c`, "d\\e\"f\r\n"), `a"b\c`, "d\\e\"f\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			part, err := openPart(tt.disposition)
			if err != nil {
				t.Fatal(err)
			}
			if part.FormName() != tt.form || part.FileName() != tt.file || !part.IsFile() {
				t.Errorf("got %q, %q, file: %v, want %q, %q", part.FormName(), part.FileName(), part.IsFile(), tt.form, tt.file)
			}
		})
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	for _, disposition := range []string{`form-data; name="f"`, `form-data; name=f;`, `form-data; name="f"; filename*=utf-8''b`} {
		part, err := openPart(disposition)
		if err != nil {
			t.Fatal(err)
		}
		if part.FormName() != "f" || part.IsFile() {
			t.Errorf("%s: got %q, file: %v", disposition, part.FormName(), part.IsFile())
		}
	}
}

func TestBrokenDispositions(t *testing.T) {
	t.Parallel()
	for _, disposition := range []string{
		"", "form-data", "form-data;", `name="f"`, `form-data name="f"`, `form-data, name="f"`,
		`form-data; ; name="f"`, `form-data; name`, `form-data; name=`, `form-data; name="f`, `form-data; name="f" x`,
		`form-data; name="f"; filename=`, `form-data; name="f"; filename="a`, `form-data; name="f"; filename=a b`,
		`form-data; name="f"; filename=é`, `form-data; name="f"; filename="a"b"`, `form-data; name="f"; ="a"`,
		`form-data; name="f"; filename="a"; filename="b"`, `form-data; name="f"; Name="f"`, `form-data/x; name="f"`,
	} {
		if part, err := openPart(disposition); err == nil {
			t.Errorf("%s: got %q, %q, want an error", disposition, part.FormName(), part.FileName())
		}
	}
}

// FuzzDisposition holds the names against mime.ParseMediaType, where the two
// mean to agree: in visible ASCII without backslashes, percent signs and
// extended parameters.
func FuzzDisposition(f *testing.F) {
	f.Add(`form-data; name="f"; filename="a b.txt"`)
	f.Add(`form-data; name=f;filename = a ; x="y"; `)
	f.Add(`Form-Data; name="f"; name="f"`)
	f.Add(`form-data; name="; filename="`)
	f.Add(`form-data; name="f"; {x}="y"; filename={a}`)
	f.Fuzz(func(t *testing.T, disposition string) {
		for _, c := range []byte(disposition) {
			if c < ' ' || c > '~' || strings.IndexByte(`\%*`, c) >= 0 {
				t.Skip()
			}
		}
		kind, params, err := mime.ParseMediaType(disposition)
		name, named := params["name"]
		filename, isFile := params["filename"]
		part, ourErr := openPart(disposition)
		switch {
		case err != nil || kind != "form-data" || !named:
			if ourErr == nil {
				t.Errorf("got %q, %q, want an error", part.FormName(), part.FileName())
			}
		case ourErr != nil:
			// Unlike mime, the scanner takes no parameter twice (RFC 6266 §4.1).
			if strings.Count(disposition, "=") <= len(params) {
				t.Errorf("got %v, want %q, %q", ourErr, name, filename)
			}
		case part.FormName() != name || part.FileName() != filename || part.IsFile() != isFile:
			t.Errorf("got %q, %q, file: %v, want %q, %q, %v", part.FormName(), part.FileName(), part.IsFile(), name, filename, isFile)
		}
	})
}

// FuzzFileName writes a name as senders do, and wants it back.
func FuzzFileName(f *testing.F) {
	f.Add("a b.txt")
	f.Add(`a"b\c;d=e'f%g.txt`)
	f.Add("naïve 👩‍👩‍👧\t\xff")
	f.Add(`C:\dir\`)
	f.Add("a\r\nb")
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ContainsAny(strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(name), controls) {
			t.Skip() // no header holds these
		}
		written := make(map[string]string)
		if !strings.Contains(name, "%22") && !strings.Contains(name, "%0D") && !strings.Contains(name, "%0A") {
			if !strings.Contains(name, `\\`) { // which a browser leaves alone, and others write for one
				written["browser"] = strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A").Replace(name)
			}
			if !strings.ContainsAny(name, "\r\n") {
				written["quoted pairs"] = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)
			}
		}
		for by, quoted := range written {
			part, err := openPart(`form-data; name="f"; filename="` + quoted + `"`)
			if err != nil || part.FileName() != name {
				t.Errorf("%s, %s: got %v, %v, want %q", by, quoted, part, err, name)
			}
		}
	})
}

// controls are the characters that net/textproto takes in no header.
var controls = func() string {
	var b strings.Builder
	for c := range rune(' ') {
		b.WriteRune(c)
	}
	return b.String() + "\x7f"
}()
