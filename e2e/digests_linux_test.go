package e2e_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"
)

// clientDigests are the fields in which a client may name the digest of a
// content, with those of data.
func clientDigests(data []byte) map[string]string {
	sum256, sum512, sumMD5 := sha256.Sum256(data), sha512.Sum512(data), md5.Sum(data)
	text := func(sum []byte) string { return base64.StdEncoding.EncodeToString(sum) }
	return map[string]string{
		"sha-256": "Repr-Digest: sha-256=:" + text(sum256[:]) + ":",
		"sha-512": "Content-Digest: sha-512=:" + text(sum512[:]) + ":",
		"md5":     "Content-MD5: " + text(sumMD5[:]),
	}
}

// named is how the answer names the digest that a field has named.
func named(algorithm, field string) string {
	_, value, _ := strings.Cut(field, ": ")
	if algorithm == "md5" {
		return "md5=:" + value + ":"
	}
	return value
}

// digestProblem is what says that a content differs from its digest.
type digestProblem struct {
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
}

// A digest that comes with a content is checked, and told in the answer. A
// content that hasn't it is no file, and the one before it stays.
func TestClientDigests(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, size := range []int64{5, 5*mib + 5} {
		path := content(t, size)
		data, own := read(t, path), digestOf(t, path)
		good, other := clientDigests(data), clientDigests(append(bytes.Clone(data), 0))
		for algorithm, field := range good {
			for way, send := range map[string]func(name, field string) answer{
				"PUT": func(name, field string) answer {
					return curl(t, "-T", path, "-H", field, s.fileURL(name))
				},
				"chunked": func(name, field string) answer {
					return curlWith(t, bytes.NewReader(data), "-T", "-", "-H", field, s.fileURL(name))
				},
				"form": func(name, field string) answer {
					part := strings.Replace(partHead(name), "\r\n\r\n", "\r\n"+field+"\r\n\r\n", 1)
					form := part + string(data) + formTail
					return curlWith(t, strings.NewReader(form), "--data-binary", "@-", "-H", formType, s.url("/files/"))
				},
			} {
				t.Run(fmt.Sprintf("%s of %d bytes by %s", algorithm, size, way), func(t *testing.T) {
					name := fmt.Sprintf("%s-%d-%s", algorithm, size, way)
					a := send(name, field).want(t, 200, 201)
					want := own + ", " + named(algorithm, field)
					if told := digestTold(t, way, a); told.Digest != want || told.Size != size {
						t.Errorf("stored %d bytes with %s, want %d with %s", told.Size, told.Digest, size, want)
					}
					if got := a.header.Get("Repr-Digest"); way != "form" && got != want {
						t.Errorf("Repr-Digest is %q, want %q", got, want)
					}
					sameFile(t, s.file(name), path)

					for _, taken := range []string{name, name + "-new"} {
						a = send(taken, other[algorithm])
						a.wantProblem(t, 400)
						var p digestProblem
						a.decode(t, &p)
						if p.Expected != named(algorithm, other[algorithm]) || p.Actual != named(algorithm, field) {
							t.Errorf("the problem is %+v, want %s instead of %s", p, field, other[algorithm])
						}
					}
					sameFile(t, s.file(name), path)
					if _, err := os.Stat(s.file(name + "-new")); err == nil {
						t.Error("content with another digest was stored")
					}
				})
			}
		}
	}
	eventually(t, "the server is at rest", s.atRest)
}

// digestTold is what the answer says of the one file that was sent.
func digestTold(t *testing.T, way string, a answer) (file storedFile) {
	t.Helper()
	if way != "form" {
		a.decode(t, &file)
		return file
	}
	var form struct{ Files []storedFile }
	if a.decode(t, &form); len(form.Files) == 1 {
		return form.Files[0]
	}
	t.Errorf("the answer is %s", a.body)
	return file
}

// A form with one file that hasn't its digest stores none.
func TestDigestOfOneFileInForm(t *testing.T) {
	t.Parallel()
	s := start(t)
	wrong := strings.Replace(partHead("b.bin"), "\r\n\r\n", "\r\n"+clientDigests([]byte("x"))["sha-256"]+"\r\n\r\n", 1)
	form := partHead("a.bin") + "content\r\n" + wrong + "content" + formTail
	curlWith(t, strings.NewReader(form), "--data-binary", "@-", "-H", formType, s.url("/files/")).wantProblem(t, 400)
	s.missing("a.bin")
	s.missing("b.bin")
}

// What the head says of digests and codings is judged before the body.
//
// RFC 9530; RFC 9110 section 8.4
func TestRefusedByDigestOrCoding(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := content(t, 5*mib+1)
	upload := s.createTus("tus.bin", 1)
	put := []string{"-T", path, s.fileURL("f.bin")}
	form := []string{"-F", "file=@" + path + ";filename=f.bin", s.url("/files/")}
	create := []string{"-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", "-H", tusName("f.bin"), s.url("/tus/")}
	for _, test := range []struct {
		name, field string
		args        []string
		status      int
	}{
		{"malformed digest", "Repr-Digest: sha-256", put, 400},
		{"short digest", "Repr-Digest: sha-256=:AAAA:", put, 400},
		{"digest in hex", "Content-MD5: 5d41402abc4b2a76b9719d911017c592", put, 400},
		{"unknown algorithm", "Content-Digest: blake3=:AAAA:", put, 400},
		{"gzip by PUT", "Content-Encoding: gzip", put, 415},
		{"two codings", "Content-Encoding: identity, br", put, 415},
		{"gzip by form", "Content-Encoding: gzip", form, 415},
		{"gzip by tus", "Content-Encoding: gzip", create, 415},
		{"gzip by PATCH", "Content-Encoding: gzip", []string{
			"-X", "PATCH", "-H", tusVersion, "-H", tusType, "-H", "Upload-Offset: 0", "--data-binary", "x", s.url(upload),
		}, 415},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := s.in(t)
			a := curl(t, append([]string{"-H", test.field}, test.args...)...)
			a.wantProblem(t, test.status)
			if test.name != "gzip by PATCH" {
				a.unasked(t)
			}
			if got := a.header.Get("Accept-Encoding"); test.status == 415 && got != "identity" {
				t.Errorf("Accept-Encoding is %q, want identity", got)
			}
			s.missing("f.bin")
		})
	}
	if offset := s.tusOffset(upload); offset != "0" {
		t.Errorf("a coded PATCH has moved the offset to %s", offset)
	}
	for _, field := range []string{"Content-Encoding: gzip", "Content-Transfer-Encoding: base64", "Repr-Digest: sha-256=:AAAA:"} {
		part := strings.Replace(partHead("f.bin"), "\r\n\r\n", "\r\n"+field+"\r\n\r\n", 1)
		curlWith(t, strings.NewReader(part+formTail), "--data-binary", "@-", "-H", formType, s.url("/files/")).want(t, 400, 415)
		s.missing("f.bin")
	}
	curl(t, "-H", "Content-Encoding: identity", "-T", path, s.fileURL("f.bin")).want(t, 201)
	curl(t, "-H", "Repr-Digest: blake3=:AAAA:, "+strings.TrimPrefix(clientDigests(read(t, path))["sha-256"], "Repr-Digest: "),
		"-T", path, s.fileURL("f.bin")).want(t, 200)
}
