package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A tus upload that nobody continues goes after a while with all that it took.
// One that is active stays, however long it takes.
//
// https://github.com/janko/tus-ruby-server/issues/3
// https://github.com/tus/tus-node-server/pull/320
// https://github.com/owncloud/ocis/issues/1227
func TestExpiry(t *testing.T) {
	t.Parallel()
	// Less than a block, so that for all that time nothing is written.
	const size, expiry = 60_000, 2 * time.Second
	path := content(t, size)
	s := start(t, "--upload-expiry", expiry.String())
	abandoned, untouched := s.createTus("abandoned", size), s.createTus("untouched", size)
	s.patch(abandoned, 0, []byte("beginning")).want(t, 204)
	finished := s.createTus("finished", 5)
	s.patch(finished, 0, []byte("hello")).want(t, 204)

	active, put := wayTus.begin(s, "active", size), wayPUT.begin(s, "put", size)
	began := time.Now()
	done := make(chan error, 2)
	for _, u := range []*uploading{active, put} {
		go func() {
			p := &pacer{rate: size / 5}
			done <- p.run(u, bytes.NewReader(read(t, path)), size, nil)
		}()
	}
	for _, upload := range []string{abandoned, untouched, finished} {
		eventually(t, "the upload expires", func() bool {
			return curlHead(t, "-H", tusVersion, s.url(upload)).status == 404
		})
		// Its state goes first.
		eventually(t, "nothing is left of the upload", func() bool {
			left, _ := filepath.Glob(s.file(".sluice/uploads/" + filepath.Base(upload) + "*"))
			return len(left) == 0
		})
		s.patch(upload, 9, []byte("more")).wantProblem(t, 404)
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if expired := s.scrape().sum(tusExpired); expired != 2 {
		t.Errorf("%v uploads are counted as expired, want the 2 that were not finished", expired)
	}
	if took := time.Since(began); took < 2*expiry {
		t.Fatalf("the uploads took %s, too short to prove anything", took)
	}
	active.succeed()
	put.succeed()
	sameFile(t, s.file("active"), path)
	sameFile(t, s.file("put"), path)
	if got := string(read(t, s.file("finished"))); got != "hello" {
		t.Errorf("the file of a finished upload holds %q", got)
	}
	if reserved := s.scrape().sum("sluice_storage_reserved_bytes"); reserved != 0 {
		t.Errorf("%.0f bytes are still reserved", reserved)
	}
}

// An expiry that ran out while the server was down counts.
func TestExpiryAcrossRestart(t *testing.T) {
	t.Parallel()
	s := start(t, "--upload-expiry", "1h")
	upload, kept := s.createTus("old", 1000), s.createTus("young", 1000)
	s.terminate()
	s.wait()
	past := time.Now().Add(-2 * time.Hour)
	for _, ext := range []string{"", ".info"} {
		file := s.file(".sluice/uploads/" + filepath.Base(upload) + ext)
		if err := os.Chtimes(file, past, past); err != nil {
			t.Fatal(err)
		}
	}
	again := startIn(t, s.root, "--upload-expiry", "10s")
	eventually(t, "the upload expires", func() bool {
		return curlHead(t, "-H", tusVersion, again.url(upload)).status == 404
	})
	if offset := again.offset(kept); offset != 0 {
		t.Errorf("offset %d, want 0", offset)
	}
}

// Whether uploads expire is told alike in both places (tus 1.0, "Expiration").
func TestExpiryIsTold(t *testing.T) {
	t.Parallel()
	s := start(t)
	extensions := curl(t, "-X", "OPTIONS", s.url("/tus/")).want(t, 200, 204).header.Get("Tus-Extension")
	a := curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", s.url("/tus/")).want(t, 201)
	if told, has := strings.Contains(extensions, "expiration"), a.header.Get("Upload-Expires") != ""; told != has {
		t.Errorf("extensions are %q, Upload-Expires is %q", extensions, a.header.Get("Upload-Expires"))
	}
}
