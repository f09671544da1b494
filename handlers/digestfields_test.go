package handlers

import (
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"sluice/storage"
)

// digests of "hello".
var (
	helloSHA256 = sha256.Sum256([]byte("hello"))
	helloSHA512 = sha512.Sum512([]byte("hello"))
	helloMD5    = md5.Sum([]byte("hello"))
)

func digestMember(algorithm string, sum []byte) string {
	return algorithm + "=:" + base64.StdEncoding.EncodeToString(sum) + ":"
}

func TestExpectedDigests(t *testing.T) {
	t.Parallel()
	sha256 := storage.Digest{Algorithm: storage.SHA256, Sum: string(helloSHA256[:])}
	sha512 := storage.Digest{Algorithm: storage.SHA512, Sum: string(helloSHA512[:])}
	md5 := storage.Digest{Algorithm: storage.MD5, Sum: string(helloMD5[:])}
	crc := storage.NewCRC64NVME(0x0102030405060708)
	base64MD5 := base64.StdEncoding.EncodeToString(helloMD5[:])
	for _, test := range []struct {
		name   string
		header map[string][]string
		want   []storage.Digest
		err    error
	}{
		{"none", nil, nil, nil},
		{"empty", map[string][]string{reprDigest: {""}}, nil, nil},
		{"sha-256", map[string][]string{reprDigest: {sha256.String()}}, []storage.Digest{sha256}, nil},
		{"of the content", map[string][]string{contentDigest: {sha512.String()}}, []storage.Digest{sha512}, nil},
		{"two", map[string][]string{reprDigest: {sha256.String() + " ,\t" + sha512.String()}}, []storage.Digest{sha256, sha512}, nil},
		{"two lines", map[string][]string{reprDigest: {sha256.String(), sha512.String()}}, []storage.Digest{sha256, sha512}, nil},
		{"two fields", map[string][]string{reprDigest: {sha256.String()}, contentDigest: {sha512.String()}}, []storage.Digest{sha256, sha512}, nil},
		{"the server's own", map[string][]string{reprDigest: {crc.String()}}, []storage.Digest{crc}, nil},
		{"parameters", map[string][]string{reprDigest: {sha256.String() + ";x=1"}}, []storage.Digest{sha256}, nil},
		{"md5", map[string][]string{reprDigest: {md5.String()}}, []storage.Digest{md5}, nil},
		{"Content-MD5", map[string][]string{contentMD5: {base64MD5}}, []storage.Digest{md5}, nil},
		{"unknown beside a known one", map[string][]string{reprDigest: {"blake3=:AAAA:, " + sha256.String()}}, []storage.Digest{sha256}, nil},
		{"unknown beside Content-MD5", map[string][]string{reprDigest: {"blake3=:AAAA:"}, contentMD5: {base64MD5}}, []storage.Digest{md5}, nil},

		{"unknown alone", map[string][]string{reprDigest: {"blake3=:AAAA:"}}, nil, errDigestUnknown},
		{"no dictionary", map[string][]string{reprDigest: {"=:AAAA:"}}, nil, errDigestField},
		{"upper case", map[string][]string{reprDigest: {digestMember("SHA-256", helloSHA256[:])}}, nil, errDigestField},
		{"as RFC 3230 had it", map[string][]string{reprDigest: {"sha-256=" + base64.StdEncoding.EncodeToString(helloSHA256[:])}}, nil, errDigestField},
		{"no value", map[string][]string{reprDigest: {"sha-256"}}, nil, errDigestField},
		{"a string", map[string][]string{reprDigest: {`sha-256="AAAA"`}}, nil, errDigestField},
		{"a list", map[string][]string{reprDigest: {"sha-256=(:AAAA:)"}}, nil, errDigestField},
		{"open", map[string][]string{reprDigest: {"sha-256=:AAAA"}}, nil, errDigestField},
		{"no base64", map[string][]string{reprDigest: {"sha-256=:A*:"}}, nil, errDigestField},
		{"comma at the end", map[string][]string{reprDigest: {sha256.String() + ","}}, nil, errDigestField},
		{"too short", map[string][]string{reprDigest: {digestMember("sha-256", helloSHA256[:31])}}, nil, errDigestField},
		{"another algorithm's length", map[string][]string{reprDigest: {digestMember("sha-256", helloSHA512[:])}}, nil, errDigestField},
		{"empty sum", map[string][]string{reprDigest: {"sha-256=::"}}, nil, errDigestField},
		{"Content-MD5 in hex", map[string][]string{contentMD5: {"5d41402abc4b2a76b9719d911017c592"}}, nil, errDigestField},
		{"Content-MD5 of nothing", map[string][]string{contentMD5: {""}}, nil, errDigestField},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := expectedDigests(textproto.MIMEHeader(test.header).Values)
			if !slices.Equal(got, test.want) || !errors.Is(err, test.err) {
				t.Errorf("got %v, %v, want %v, %v", got, err, test.want, test.err)
			}
		})
	}
}

// FuzzDigestFields: what is taken can be checked, and means the same when the
// server writes it.
func FuzzDigestFields(f *testing.F) {
	f.Add(digestMember("sha-256", helloSHA256[:]))
	f.Add(digestMember("sha-512", helloSHA512[:]) + ", " + digestMember("md5", helloMD5[:]) + ";a=1")
	f.Add("blake3=:AAAA:, sha-256=::")
	f.Add(`sha-256="x", a=(1 2)`)
	f.Fuzz(func(t *testing.T, field string) {
		digests, err := expectedDigests(textproto.MIMEHeader{reprDigest: {field}}.Values)
		if err != nil {
			if !errors.Is(err, errDigestField) && !errors.Is(err, errDigestUnknown) {
				t.Fatalf("%q: %v, which has no answer of its own", field, err)
			}
			return
		}
		var members []string
		for _, d := range digests {
			if hash := storage.NewHash(d.Algorithm); hash == nil || len(d.Sum) != hash.Size() {
				t.Fatalf("%q: took %q, which can't be checked", field, d)
			}
			members = append(members, d.String())
		}
		again, err := expectedDigests(textproto.MIMEHeader{reprDigest: {strings.Join(members, ", ")}}.Values)
		if err != nil || !slices.Equal(again, digests) {
			t.Fatalf("%q: read as %q and, written again, as %q, %v", field, digests, again, err)
		}
	})
}

func TestCodings(t *testing.T) {
	t.Parallel()
	for field, taken := range map[string]bool{
		"": true, "identity": true, "Identity , identity": true,
		"gzip": false, "identity, gzip": false, "br": false, "aws-chunked": false, "x": false,
	} {
		if err := checkCoding(field); (err == nil) != taken {
			t.Errorf("Content-Encoding %q: got %v", field, err)
		}
	}
	for field, taken := range map[string]bool{
		"": true, "binary": true, " 8BIT": true, "7bit": true, "base64": false, "quoted-printable": false, "binary, base64": false,
	} {
		if err := checkTransferEncoding(field); (err == nil) != taken {
			t.Errorf("Content-Transfer-Encoding %q: got %v", field, err)
		}
	}
}
