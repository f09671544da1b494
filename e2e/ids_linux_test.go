package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The id of an upload is no path, and nobody can put a state where an id leads.
//
// https://github.com/edihasaj/tuspyserver/issues/93
// https://github.com/tomdesair/tus-java-server/pull/89
// https://github.com/salvo-rs/salvo/pull/1310
func TestUploadIDsAreNoPaths(t *testing.T) {
	t.Parallel()
	s := start(t)
	secret := []byte("secret\n")
	canary := write(t, "canary", secret)
	planted := fmt.Sprintf(`{"ID":"evil","id":"evil","name":"evil","size":7,"Size":7,"offset":0,"metadata":{},`+
		`"Storage":{"Type":"filestore","Path":%q,"InfoPath":%q}}`, canary, canary+".x")
	id := strings.Repeat("e", 32)
	for _, name := range []string{"evil", "evil.info", id, id + ".info"} {
		s.put(name, planted)
		curlWith(t, strings.NewReader(planted), "-F", "file=@-;filename=form-"+name, s.url("/files/")).want(t, 200, 201)
		upload := s.createTus("tus-"+name, len(planted))
		s.patch(upload, 0, []byte(planted)).want(t, 204)
		// Nothing stands where uploads do.
		curlWith(t, strings.NewReader(planted), "-T", "-", s.url("/files/.sluice/uploads/"+name)).wantProblem(t, 400)
		curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 0", "-H", metadata("filename", name, "path", ".sluice/uploads"),
			s.url("/tus/")).wantProblem(t, 400)
	}
	real := s.createTus("real", 7)
	outside := strings.ReplaceAll(canary, "/", "%2f")
	paths := []string{
		"evil", "evil.info", "evil%00", "../files/evil", "..%2ffiles%2fevil", "%2e%2e/files/evil", "%2e%2e%2ffiles%2fevil", "..%5cfiles%5cevil",
		"%252e%252e%252ffiles%252fevil", outside, "%2e%2e" + outside, canary, id, id + ".info", "../files/" + id, "..%2ffiles%2f" + id,
		".sluice/uploads/" + filepath.Base(real), filepath.Base(real) + ".info", filepath.Base(real) + "%00", filepath.Base(real) + "/",
		strings.ToUpper(filepath.Base(real)) + "x", "./" + filepath.Base(real), "", "/", "..", ".",
	}
	for _, path := range paths {
		for _, args := range [][]string{
			{"-X", "GET"},
			{"--head", "--output", os.DevNull},
			{"-X", "PATCH", "-H", tusType, "-H", "Upload-Offset: 0", "--data-binary", "pwned"},
			{"-X", "PATCH", "-H", tusType, "-H", "Upload-Offset: 7", "--data-binary", "pwned"},
			{"-X", "DELETE"},
		} {
			a := curl(t, append(args, "-H", tusVersion, s.url("/tus/"+path))...)
			if a.status < 400 || a.status >= 500 || bytes.Contains(a.body, secret) || bytes.Contains(a.body, []byte("evil\",")) {
				t.Errorf("%s %s: status %d, %q", args[1], path, a.status, a.body)
			}
		}
	}
	if got := read(t, canary); !bytes.Equal(got, secret) {
		t.Errorf("the file outside holds %q", got)
	}
	for _, name := range []string{"evil", "evil.info", id, id + ".info"} {
		if got := string(read(t, s.file(name))); got != planted {
			t.Errorf("%s holds %q", name, got)
		}
	}
	s.patch(real, 0, secret).want(t, 204)
}

// Nobody can guess an id from others.
func TestUploadIDsAreRandom(t *testing.T) {
	t.Parallel()
	s := start(t)
	seen := make(map[byte]bool)
	const uploads = 20
	for range uploads {
		id := filepath.Base(s.createTus("f", 1))
		if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
			t.Fatalf("id %q", id)
		}
		seen[id[0]] = true
	}
	// That all begin alike has a chance of 16 to the power of -19.
	if len(seen) == 1 {
		t.Error("all ids begin with the same digit")
	}
}
