package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// createPart creates an upload that is to be joined with others.
func (s *server) createPart(size int) string {
	s.t.Helper()
	return curl(s.t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Concat: partial", "-H", fmt.Sprintf("Upload-Length: %d", size),
		s.url("/tus/")).want(s.t, 201).header.Get("Location")
}

func (s *server) joinTus(name string, parts ...string) answer {
	s.t.Helper()
	return curl(s.t, "-X", "POST", "-H", tusVersion, "-H", tusName(name), "-H", "Upload-Concat: final;"+strings.Join(parts, " "), s.url("/tus/"))
}

// Parts that were uploaded side by side become one file (tus 1.0,
// "Concatenation"), in the order in which they are named.
func TestParts(t *testing.T) {
	t.Parallel()
	s := start(t)
	data := read(t, content(t, 3*mib+7))
	cuts := []int{0, mib + 1, mib + 1, 2 * mib, len(data)}
	var parts []string
	for i := range cuts[1:] {
		parts = append(parts, s.createPart(cuts[i+1]-cuts[i]))
	}
	s.joinTus("early", parts...).wantProblem(t, 400)
	for i, part := range parts {
		if piece := data[cuts[i]:cuts[i+1]]; len(piece) > 0 {
			s.patch(part, 0, piece).want(t, 204)
		}
		head := curlHead(t, "-H", tusVersion, s.url(part)).want(t, 200).header
		if head.Get("Upload-Concat") != "partial" {
			t.Errorf("Upload-Concat of a part is %q", head.Get("Upload-Concat"))
		}
	}
	if stored := s.stored(); len(stored) > 0 {
		t.Fatalf("parts stand among the files: %v", stored)
	}
	joined := s.joinTus("joined", parts...).want(t, 201)
	if !bytes.Equal(read(t, s.file("joined")), data) {
		t.Error("the file differs")
	}
	if got := joined.header.Get("Content-Location"); got != "/files/joined" {
		t.Errorf("Content-Location %q", got)
	}
	whole := joined.header.Get("Location")
	head := curlHead(t, "-H", tusVersion, s.url(whole)).want(t, 200).header
	if got, want := head.Get("Upload-Concat"), "final;"+strings.Join(parts, " "); got != want {
		t.Errorf("Upload-Concat of the whole is %q, want %q", got, want)
	}
	if head.Get("Upload-Offset") != fmt.Sprint(len(data)) || head.Get("Upload-Length") != fmt.Sprint(len(data)) {
		t.Errorf("offset %s of %s", head.Get("Upload-Offset"), head.Get("Upload-Length"))
	}
	s.patch(whole, len(data), []byte("x")).wantProblem(t, 403)
	// Whoever hasn't seen the answer asks again.
	if again := s.joinTus("joined", parts...).want(t, 201).header.Get("Location"); again != whole {
		t.Errorf("asked for again, the whole is %s, want %s", again, whole)
	}
	s.joinTus("other", parts[0]).wantProblem(t, 403)
	for _, part := range parts {
		if _, err := os.Stat(filepath.Join(s.root, ".sluice/uploads", filepath.Base(part))); err == nil {
			t.Errorf("the data of part %s is still there", part)
		}
	}
	s.joinTus("none", "/tus/"+strings.Repeat("0", 32)).wantProblem(t, 404)
	s.joinTus("none", whole).wantProblem(t, 403)
}

func TestPartsOfClient(t *testing.T) {
	t.Parallel()
	path := content(t, 9*mib+3)
	s := start(t)
	exchanges, err := tusUpload(t, s.url("/tus/"), path, "parallel.bin", "--parallel", "4")
	if err != nil {
		t.Fatal(err)
	}
	if count(exchanges, "POST") != 5 || count(exchanges, "PATCH") != 4 {
		t.Errorf("exchanges %+v, want 5 POST and 4 PATCH", exchanges)
	}
	sameFile(t, s.file("parallel.bin"), path)
}

func TestDeferredLengthOfClient(t *testing.T) {
	t.Parallel()
	path := content(t, 5*mib+3)
	s := start(t)
	if _, err := tusUpload(t, s.url("/tus/"), path, "deferred.bin", "--defer-length", "--chunk-size", fmt.Sprint(2*mib)); err != nil {
		t.Fatal(err)
	}
	sameFile(t, s.file("deferred.bin"), path)
}

// However long the joining of parts takes, the client's connection stays, and it
// gets its answer.
func TestJoinOutlastsTheIdleTimeout(t *testing.T) {
	t.Parallel()
	const idle = time.Second
	s := start(t, "--idle-timeout", idle.String(), "--header-timeout", idle.String(), "--keep-alive-timeout", idle.String())
	data := read(t, content(t, 100_000))
	parts := []string{s.createPart(50_000), s.createPart(50_000)}
	for i, part := range parts {
		s.patch(part, 0, data[i*50_000:(i+1)*50_000]).want(t, 204)
	}
	s.inject("pread64:delay_enter=3000000")
	began := time.Now()
	s.joinTus("joined", parts...).want(t, 201)
	if took := time.Since(began); took < 3*idle {
		t.Fatalf("joining took %s, too short to prove anything", took)
	}
	if !bytes.Equal(read(t, s.file("joined")), data) {
		t.Error("the file differs")
	}
}
