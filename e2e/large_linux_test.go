package e2e_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

const (
	// oneTransfer and sixteenTransfers are the most memory that the server may
	// ever take for one transfer at a time and for sixteen, in bytes.
	oneTransfer      = 64 * mib
	sixteenTransfers = 192 * mib
)

// A file beyond 4 GiB goes in every way and comes back byte for byte, whole
// and in ranges, in little memory.
func TestFourGiB(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 60 GB")
	}
	const size = 4*gib + 1
	path := filepath.Join(folder(t), "content.bin")
	makeContent(t, path, size)
	for _, test := range []struct {
		name string
		send func(t *testing.T, s *server, path, name string)
	}{
		{"curl -T", sendPUT},
		{"curl -T -", sendChunked},
		{"curl -F", sendForm},
		{"tus-js-client in one PATCH", sendTus},
		{"tus-js-client in chunks with a cut", sendTusCut},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := startShipped(t)
			const name = "four gigabytes.bin"
			test.send(t, s, path, name)
			s.staysBelow(oneTransfer)
			sameFile(t, s.file(name), path)
			url := s.fileURL(name)
			if err := download(url, path); err != nil {
				t.Error(err)
			}
			checkRanges(t, url, path, size)
			s.staysBelow(oneTransfer)
		})
	}
}

// checkRanges asks for ranges at the places where offsets outgrow their types.
func checkRanges(t *testing.T, url, path string, size int64) {
	t.Helper()
	for _, r := range []struct{ off, n int64 }{
		{0, 1},
		{1<<31 - 3, 6},
		{1<<32 - 3, 4},
		{1<<32 - 1, 1},
		{size - 1, 1},
		{size - 16, 16},
		{1<<31 - 32*mib - 1, 64*mib + 3},
	} {
		if err := downloadRange(url, path, r.off, r.n); err != nil {
			t.Error(err)
		}
	}
	tail, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	if _, err := tail.Seek(-16, 2); err != nil {
		t.Fatal(err)
	}
	if err := downloadAs(url, tail, "--range", "-16"); err != nil {
		t.Error(err)
	}
}

func sendPUT(t *testing.T, s *server, path, name string) {
	curl(t, "-T", path, s.fileURL(name)).want(t, 201)
}

func sendChunked(t *testing.T, s *server, path, name string) {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	curlWith(t, file, "-T", "-", s.fileURL(name)).want(t, 201)
}

func sendForm(t *testing.T, s *server, path, name string) {
	curl(t, "-F", "file=@"+path+";filename="+name, s.url("/files/")).want(t, 200, 201)
}

// sendTusCurl sends one PATCH by curl, for it costs less than Node.
func sendTusCurl(t *testing.T, s *server, path, name string) {
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	upload := s.createTus(name, int(info.Size()))
	curl(t, "-X", "PATCH", "-H", tusVersion, "-H", tusType, "-H", "Upload-Offset: 0", "-T", path, s.url(upload)).want(t, 204)
}

func sendTus(t *testing.T, s *server, path, name string) {
	if _, err := tusUpload(t, s.url("/tus/"), path, name); err != nil {
		t.Fatal(err)
	}
}

func sendTusCut(t *testing.T, s *server, path, name string) {
	endpoint := cutProxy(t, s.addr, 2*gib+33*mib+7) + "/tus/"
	args := []string{"--chunk-size", strconv.Itoa(64 * mib), "--state", filepath.Join(folder(t), "state.json")}
	exchanges, err := tusUpload(t, endpoint, path, name, args...)
	if err == nil {
		t.Fatal("the first run was not cut")
	}
	more, err := tusUpload(t, endpoint, path, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	checkResumed(t, append(exchanges, more...))
}

// Sixteen transfers at once share a bounded memory.
func TestSixteenAtOnce(t *testing.T) {
	const n, size = 16, 256 * mib
	path := content(t, size)
	s := startShipped(t)
	url := func(i int) string { return s.url("/files/" + strconv.Itoa(i) + ".bin") }
	together(t, n, func(i int) error {
		a, err := runCurl(nil, "-T", path, url(i))
		if err == nil && a.status != 201 {
			err = errors.New("status " + strconv.Itoa(a.status))
		}
		return err
	})
	s.staysBelow(sixteenTransfers)
	together(t, n, func(i int) error { return download(url(i), path) })
	s.staysBelow(sixteenTransfers)
}

// together runs n goroutines and fails the test for each of their errors.
func together(t *testing.T, n int, run func(i int) error) {
	t.Helper()
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if err := run(i); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// No way in or out holds the file in memory.
//
// https://github.com/gofiber/fiber/issues/1838
// https://github.com/valyala/fasthttp/issues/622
// https://github.com/valyala/fasthttp/issues/1647
func TestFileIsNotHeldInMemory(t *testing.T) {
	const size = 512 * mib
	path := filepath.Join(folder(t), "sparse.bin")
	if err := errors.Join(os.WriteFile(path, nil, 0o666), os.Truncate(path, size)); err != nil {
		t.Fatal(err)
	}
	s := startShipped(t)
	sendPUT(t, s, path, "put.bin")
	sendChunked(t, s, path, "chunked.bin")
	sendForm(t, s, path, "form.bin")
	sendTusCurl(t, s, path, "tus.bin")
	for _, args := range [][]string{nil, {"--compressed"}, {"-H", `If-None-Match: "x"`}} {
		if err := download(s.fileURL("tus.bin"), path, args...); err != nil {
			t.Error(err)
		}
	}
	s.staysBelow(oneTransfer)
}

// What has arrived is on the disk while more comes.
func TestUploadGrowsOnDisk(t *testing.T) {
	t.Parallel()
	const size = 32 * mib
	data := read(t, content(t, size))
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			u := w.begin(s, "growing.bin", size)
			u.send(data[:size/2])
			eventually(t, "the upload grows on the disk", func() bool { return s.uploadedSize() >= size/4 })
			u.send(data[size/2:])
			u.succeed()
		})
	}
}

// uploadedSize is how much of all running uploads stands on the disk, in bytes.
func (s *server) uploadedSize() int64 {
	s.t.Helper()
	entries, err := os.ReadDir(s.file(".sluice/uploads"))
	if err != nil {
		s.t.Fatal(err)
	}
	var total int64
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil { // it may have gone
			total += info.Size()
		}
	}
	return total
}
