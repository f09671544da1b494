package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The end of a dead connection may take minutes to be known. Whoever asks for
// the offset meanwhile gets one, with all that has arrived, and goes on there.
//
// https://github.com/tusdotnet/tusdotnet/issues/156
// https://github.com/tomdesair/tus-java-server/pull/80
// https://github.com/tus/tusd/issues/234
func TestTakeover(t *testing.T) {
	t.Parallel()
	const size, sent = 3_000_000, 1_000_000
	path := content(t, size)
	data := read(t, path)
	t.Run("silent connection", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		want := s.scrape().endings("tus")
		want.aborted++
		upload := s.createTus("f", size)
		p := dial(t, s).send(patchHead(upload, 0, size), string(data[:sent]))
		s.received("tus", sent)
		if offset := s.offset(upload); offset != sent {
			t.Errorf("offset %d, want all %d bytes that have arrived", offset, sent)
		}
		if got := p.rest().statuses(); !slices.Equal(got, []int{400}) {
			t.Errorf("the old request got %v, want 400", got)
		}
		s.ends("tus", want)
		s.patch(upload, sent, data[sent:]).want(t, 204)
		sameFile(t, s.file("f"), path)
		if waits := s.scrape().sum("sluice_tus_lock_waits_total"); waits != 1 {
			t.Errorf("%.0f requests have waited, want 1", waits)
		}
	})
	t.Run("stopped client", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		upload := s.createTus("f", size)
		cmd, err := curlCommand("-X", "PATCH", "-H", tusVersion, "-H", tusType, "-H", "Upload-Offset: 0", "-H", "Expect:",
			"--limit-rate", "500k", "-T", path, s.url(upload))
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = cmd.Process.Kill() // it is stopped
			_ = cmd.Wait()
		}()
		s.received("tus", size/10)
		if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		s.resume(upload, data, size/10)
		sameFile(t, s.file("f"), path)
	})
	t.Run("by DELETE", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		upload := s.createTus("f", size)
		p := dial(t, s).send(patchHead(upload, 0, size), string(data[:sent]))
		s.received("tus", sent)
		curl(t, "-X", "DELETE", "-H", tusVersion, s.url(upload)).want(t, 204)
		if reply := p.rest(); reply.success() {
			t.Errorf("the old request got %q", reply.raw)
		}
		curlHead(t, "-H", tusVersion, s.url(upload)).want(t, 404)
	})
	t.Run("after a restart", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		upload := s.createTus("f", size)
		dial(t, s).send(patchHead(upload, 0, size), string(data[:sent]))
		s.received("tus", sent)
		s.kill()
		s = startIn(t, s.root)
		s.resume(upload, data, 0)
		sameFile(t, s.file("f"), path)
	})
}

// resume asks for an offset, of at least so much, and sends what is behind it.
func (s *server) resume(upload string, data []byte, least int) {
	s.t.Helper()
	offset := s.offset(upload)
	if offset < least || offset > len(data) {
		s.t.Fatalf("offset %d, want one from %d to %d", offset, least, len(data))
	}
	s.patch(upload, offset, data[offset:]).want(s.t, 204)
}

// Of several writers one at a time writes, and nothing of the others is mixed in.
//
// https://github.com/tus/tusd/issues/1041
// https://github.com/tus/tus-js-client/issues/79
// https://github.com/tusdotnet/tusdotnet/issues/204
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	const size, rate = 10_000_000, 500_000
	s := start(t)
	upload := s.createTus("f", size)
	a := dial(t, s).send(patchHead(upload, 0, size))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		p := &pacer{rate: rate}
		_ = p.run(a.conn, letters('A'), size, stop) // the server ends it
	}()
	s.received("tus", rate)
	s.patch(upload, 0, bytes.Repeat([]byte("B"), size)).wantProblem(t, 409)
	offset := s.offset(upload)
	if got := a.rest().statuses(); !slices.Equal(got, []int{400}) {
		t.Errorf("the first writer got %v, want 400", got)
	}
	close(stop)
	<-stopped
	s.patch(upload, offset, bytes.Repeat([]byte("C"), size-offset)).want(t, 204)
	want := strings.Repeat("A", offset) + strings.Repeat("C", size-offset)
	if got := string(read(t, s.file("f"))); got != want || offset < rate {
		t.Errorf("the file of %d bytes is not %d A and then C", len(got), offset)
	}
}

// letters is an endless stream of one letter.
type letters byte

func (l letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(l)
	}
	return len(p), nil
}

// Many who ask and write at the same time get the file together, byte by byte.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	const writers, size, most = 6, 6 * mib, 300_000
	path := content(t, size)
	data := read(t, path)
	s := start(t)
	upload := s.createTus("f", size)
	c := s.client()
	together(t, writers, func(int) error {
		for {
			offset, err := c.offset(upload)
			if err != nil || offset == size {
				return err
			}
			piece := data[offset:min(offset+most, size)]
			a, err := c.do("PATCH", upload, bytes.NewReader(piece), int64(len(piece)), tusVersion, tusType, fmt.Sprintf("Upload-Offset: %d", offset))
			if err == nil && !slices.Contains([]int{204, 400, 403, 409, 423}, a.status) {
				return refusal{"PATCH", upload, a}
			}
			if err != nil && !closedEarly(err) {
				return err
			}
		}
	})
	sameFile(t, s.file("f"), path)
}

// closedEarly tells that the server has closed the connection while the client
// was sending.
func closedEarly(err error) bool {
	for _, text := range []string{"connection reset", "broken pipe", "EOF", "server closed idle connection"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// Reading the URL of an upload and asking for the server's abilities wait for no
// writer, and disturb none.
//
// https://github.com/tus/tusd/issues/208
func TestReadersDisturbNoWriter(t *testing.T) {
	t.Parallel()
	const size, seconds = 2_000_000, 2
	path := content(t, size)
	s := start(t)
	u := wayTus.begin(s, "f", size)
	s.received("tus", 0)
	upload := "/tus/" + s.uploadID()
	done := make(chan error, 1)
	go func() {
		p := &pacer{rate: size / seconds}
		done <- p.run(u, bytes.NewReader(read(t, path)), size, nil)
	}()
	for running := true; running; {
		if a := curl(t, s.url(upload)); a.status != 200 {
			a.wantProblem(t, 409)
		} else if len(a.body) != size { // it may have been finished just now
			t.Fatalf("an unfinished upload gives %d bytes", len(a.body))
		}
		curl(t, "-X", "OPTIONS", s.url(upload)).want(t, 200, 204)
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
	}
	u.succeed()
	if waits := s.scrape().sum("sluice_tus_lock_waits_total"); waits != 0 {
		t.Errorf("%.0f requests have waited", waits)
	}
	together(t, 4, func(int) error { return download(s.url(upload), path) })
}

// uploadID is the id of the only upload there is.
func (s *server) uploadID() string {
	s.t.Helper()
	entries, err := os.ReadDir(s.file(".sluice/uploads"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, entry := range entries {
		if id, ok := strings.CutSuffix(entry.Name(), ".info"); ok {
			return id
		}
	}
	s.t.Fatal("there is no upload")
	return ""
}
