package e2e_test

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A server that is asked to stop lets running uploads end, takes no new ones
// and does not wait for idle connections.
//
// https://github.com/gofiber/fiber/issues/942
// https://github.com/gofiber/fiber/issues/2087
func TestStopLetsUploadsFinish(t *testing.T) {
	t.Parallel()
	const size = 2 * mib
	path := content(t, size)
	data := read(t, path)
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			idle := idleConnection(t, s)
			u := w.begin(s, "slow.bin", size)
			u.send(data[:size/2])
			s.received(w.protocol, size/2-w.held)
			s.terminate()
			eventually(t, "no more connections are taken", func() bool { return refused(s) })
			p := &pacer{rate: 2 * size}
			if err := p.run(u, bytes.NewReader(data[size/2:]), size/2, nil); err != nil {
				t.Fatal(err)
			}
			u.succeed()
			if code := s.wait(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
			idle.rest()
			sameFile(t, s.file("slow.bin"), path)
		})
	}
}

// idleConnection has had its answer and waits for more.
func idleConnection(t *testing.T, s *server) *peer {
	t.Helper()
	p := dial(t, s).send(requestHead("HEAD", "/files/"))
	if got := p.head().statuses(); len(got) != 1 {
		t.Fatalf("statuses %v, want one", got)
	}
	return p
}

// refused reports whether the server takes no more connections.
func refused(s *server) bool {
	_, err := runCurl(nil, "--connect-timeout", "5", s.url("/files/"))
	return err != nil
}

// Idle connections alone do not delay the end: the grace is longer than the
// test's patience.
func TestStopDoesNotWaitForIdleConnections(t *testing.T) {
	t.Parallel()
	s := start(t, "--shutdown-grace", "10m", "--keep-alive-timeout", "10m")
	idle, silent := idleConnection(t, s), dial(t, s)
	s.terminate()
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	idle.rest()
	silent.rest()
}

// What does not end within the grace is cut, and leaves nothing but what tus
// has promised to keep.
func TestStopCutsWhatStalls(t *testing.T) {
	t.Parallel()
	const size, sent = mib, 300_000
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "--shutdown-grace", "1s")
			s.put("stalled.bin", "older")
			before := s.countedBytes(w.protocol)
			u := w.begin(s, "stalled.bin", size)
			u.send(make([]byte, sent))
			s.received(w.protocol, before+sent-w.held)
			s.terminate()
			if reply := u.peer.rest(); reply.success() {
				t.Errorf("the upload got %q", reply.raw)
			}
			if code := s.wait(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
			if log := s.log.String(); !strings.Contains(log, `"result":"aborted"`) {
				t.Error("the log does not tell of the upload that was cut")
			}
			if got := read(t, s.file("stalled.bin")); string(got) != "older" {
				t.Errorf("the older file holds %d other bytes", len(got))
			}
			if got := s.stored(); len(got) != 1 {
				t.Errorf("the disk holds %q", got)
			}
		})
	}
}

// A download that nobody reads does not keep the server.
func TestStopCutsDownloads(t *testing.T) {
	t.Parallel()
	s := start(t, "--shutdown-grace", "1s")
	curl(t, "-T", content(t, 64*mib), s.fileURL("f")).want(t, 201)
	p := dial(t, s).send(requestHead("GET", "/files/f"))
	p.head()
	s.terminate()
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

// After a kill a tus upload goes on, and what one-shot uploads have left
// behind is gone.
func TestKilledServerStartsAgain(t *testing.T) {
	t.Parallel()
	const size = 3 * mib
	path := content(t, size)
	data := read(t, path)
	s := start(t)
	upload := s.createTus("tus.bin", size)
	dial(t, s).send(patchHead(upload, 0, mib), string(data[:mib])).fin().rest()
	put := wayPUT.begin(s, "put.bin", size)
	put.send(data[:2*mib])
	eventually(t, "the upload stands on the disk", func() bool { return len(s.temporary()) == 1 && s.uploadedSize() > mib })
	s.forced = true
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.wait()

	again := startIn(t, s.root)
	again.missing("put.bin")
	if left := again.temporary(); len(left) > 0 {
		t.Errorf("the new server has kept %q", left)
	}
	offset, err := strconv.Atoi(again.tusOffset(upload))
	if err != nil || offset != mib {
		t.Fatalf("offset is %d after %d bytes (%v)", offset, mib, err)
	}
	dial(t, again).send(patchHead(upload, offset, size-offset), string(data[offset:])).fin().rest()
	sameFile(t, again.file("tus.bin"), path)
}

// A second signal ends the process at once.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	u := wayPUT.begin(s, "stalled.bin", mib)
	u.send(make([]byte, kib))
	s.received("put", kib)
	s.terminate()
	eventually(t, "the server stops", func() bool { return strings.Contains(s.log.String(), `"stopping"`) })
	s.forced = true
	s.terminate()
	s.wait()
	status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("process state %v, want an end by SIGTERM", s.cmd.ProcessState)
	}
	if _, err := os.Stat(s.file("stalled.bin")); err == nil {
		t.Error("part of an upload is on the disk under its name")
	}
}
