package e2e_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inject makes system calls of the running server fail, until stop is called.
// Faults are as strace takes them: "fdatasync:error=EIO".
func (s *server) inject(fault string) (stop func()) {
	s.t.Helper()
	calls, _, _ := strings.Cut(fault, ":")
	cmd := toolCommand(s.t, "strace", "-f", "-o", "/dev/null", "-e", "trace="+calls, "-e", "inject="+fault,
		"-p", strconv.Itoa(s.cmd.Process.Pid))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	attached := make(chan bool, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for scanner := bufio.NewScanner(stderr); scanner.Scan(); {
			if strings.Contains(scanner.Text(), "attached") {
				select {
				case attached <- true:
				default:
				}
			}
		}
		_ = cmd.Wait() // it ends by our signal
	}()
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		<-ended
	}
	s.t.Cleanup(stop)
	select {
	case <-attached:
	case <-ended:
		s.t.Fatalf("strace can't attach (needs root)")
	case <-time.After(patience):
		s.t.Fatalf("strace is not attached after %s", patience)
	}
	return stop
}

// faults are what a disk can do to an upload, with the answers.
var faults = []struct {
	fault  string
	status int
}{
	{"pwrite64:error=ENOSPC", 507},
	{"pwrite64:error=EDQUOT", 507},
	{"pwrite64:error=EIO", 500},
	{"fdatasync:error=ENOSPC", 507},
	{"fdatasync:error=EIO", 500},
	{"renameat,renameat2:error=ENOSPC", 507},
	{"renameat,renameat2:error=EIO", 500},
	{"renameat,renameat2:error=EROFS", 503},
}

// An upload that the disk fails in the middle is told so, leaves nothing and
// keeps the file that it was to replace.
func TestDiskFailsUpload(t *testing.T) {
	t.Parallel()
	const size = 2 * mib
	newer := read(t, content(t, size))
	for _, w := range []way{wayPUT, wayChunked, wayForm} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			for _, test := range faults {
				t.Run(test.fault, func(t *testing.T) {
					s := s.in(t)
					s.put("f", "older")
					u := w.beginHalf(s, "f", newer)
					stop := s.inject(test.fault)
					a := u.rest(newer[size/2:])
					stop()
					if got := a.statuses(); len(got) != 1 || got[0] != test.status {
						t.Errorf("statuses %v, want %d", got, test.status)
					}
					eventually(t, "the server is at rest", s.atRest)
					if got := read(t, s.file("f")); string(got) != "older" {
						t.Errorf("the file holds %d other bytes", len(got))
					}
					w.beginHalf(s, "f", newer).succeedWith(newer[size/2:])
					if !bytes.Equal(read(t, s.file("f")), newer) {
						t.Error("the file is not what was sent afterwards")
					}
				})
			}
		})
	}
}

// A tus upload that the disk fails keeps what is safe, and goes on from there.
func TestDiskFailsTus(t *testing.T) {
	t.Parallel()
	const size = 2 * mib
	data := read(t, content(t, size))
	s := start(t)
	for _, test := range faults {
		t.Run(test.fault, func(t *testing.T) {
			s := s.in(t)
			before := s.countedBytes("tus")
			path := s.createTus("f", size)
			p := dial(t, s).send(patchHead(path, 0, size), string(data[:size/2]))
			s.received("tus", before+size/2)
			stop := s.inject(test.fault)
			_ = p.try(string(data[size/2:]))
			_ = p.conn.CloseWrite()
			a := p.rest()
			stop()
			if got := a.statuses(); len(got) != 1 || got[0] != test.status {
				t.Errorf("statuses %v, want %d", got, test.status)
			}
			eventually(t, "the server is at rest", s.atRest)
			s.missing("f")
			s.goesOn(path, data)
		})
	}
}

// goesOn sends the rest of an upload to the file f from where the server says
// that it has come, checks the file and removes it.
func (s *server) goesOn(path string, data []byte) {
	s.t.Helper()
	offset := s.offset(path)
	if kept := s.keptSize(path); offset > kept {
		s.t.Fatalf("offset is %d, with %d bytes on the disk", offset, kept)
	}
	s.patch(path, offset, data[offset:]).want(s.t, 204)
	if !bytes.Equal(read(s.t, s.file("f")), data) {
		s.t.Error("the file is not what was sent")
	}
	curl(s.t, "-X", "DELETE", s.fileURL("f")).want(s.t, 204)
}

// After a sync that failed the next one may succeed, though the system has
// forgotten what it could not write. Nothing of that may count as stored.
func TestFailedSyncIsFinal(t *testing.T) {
	t.Parallel()
	const size, times = 4 * mib, 5
	data := read(t, content(t, size))
	s := start(t, "--durability", "every=1MiB")
	for range times { // for the fault is each thread's first, and the server may change threads
		path := s.createTus("f", size)
		stop := s.inject("fdatasync:error=EIO:when=1")
		p := dial(t, s).send(patchHead(path, 0, size))
		_ = p.try(string(data))
		_ = p.conn.CloseWrite()
		if got := p.rest().statuses(); len(got) != 1 || got[0] != 500 {
			t.Errorf("statuses %v, want 500", got)
		}
		stop()
		if offset := s.offset(path); offset != 0 {
			t.Errorf("offset is %d after the first sync has failed", offset)
		}
		s.goesOn(path, data)
	}
}

// What fails before a byte has come fails in its own words.
func TestDiskFailsCreation(t *testing.T) {
	t.Parallel()
	const size = 5 * mib
	path := content(t, size)
	s := start(t)
	for _, test := range []struct {
		fault  string
		status int
	}{
		{"openat:error=EMFILE", 503},
		{"openat:error=ENFILE", 503},
		{"openat:error=ENOSPC", 507},
		{"openat:error=EIO", 500},
		{"fallocate:error=ENOSPC", 507},
		{"fallocate:error=EIO", 500},
	} {
		t.Run(test.fault, func(t *testing.T) {
			s := s.in(t)
			stop := s.inject(test.fault)
			put := curl(t, "-T", path, s.fileURL("f"))
			tus := curl(t, "-X", "POST", "-H", tusVersion, "-H", fmt.Sprintf("Upload-Length: %d", size), s.url("/tus/"))
			stop()
			put.wantProblem(t, test.status)
			tus.wantProblem(t, test.status)
			s.missing("f")
			eventually(t, "the server is at rest", s.atRest)
		})
	}
}

// A new file that can't get its name does not exist.
func TestDiskFailsNewName(t *testing.T) {
	t.Parallel()
	s := start(t)
	stop := s.inject("linkat:error=EIO")
	a := curlWith(t, strings.NewReader("hello"), "-T", "-", "-H", "If-None-Match: *", s.fileURL("f"))
	stop()
	a.wantProblem(t, 500)
	s.missing("f")
	eventually(t, "the server is at rest", s.atRest)
}

// When the folder of a file can't be synced, the file may be the old or the new
// one, but success must not be told.
func TestDiskFailsFolderSync(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("f", "older")
	stop := s.inject("fsync:error=EIO")
	a := curlWith(t, strings.NewReader("newer"), "-T", "-", s.fileURL("f"))
	stop()
	a.wantProblem(t, 500)
	if got := string(read(t, s.file("f"))); got != "older" && got != "newer" {
		t.Errorf("the file holds %q", got)
	}
	eventually(t, "the server is at rest", s.atRest)
}

// A download that the disk fails ends short of its length, and the server goes
// on.
func TestDiskFailsDownload(t *testing.T) {
	t.Parallel()
	const size = 64 * mib
	path := content(t, size)
	s := start(t, "--send", "direct")
	if !s.directIO {
		t.Skip("without direct I/O the kernel reads by itself")
	}
	curl(t, "-T", path, s.fileURL("f")).want(t, 201)
	want := s.scrape().endings("get")
	want.failed++
	p := dial(t, s).send(requestHead("GET", "/files/f"))
	p.head()
	stop := s.inject("pread64:error=EIO")
	n, err := io.Copy(io.Discard, p.conn)
	stop()
	if n == 0 || n >= size {
		t.Errorf("%d bytes came, %v", n, err)
	}
	s.ends("get", want)
	if err := download(s.fileURL("f"), path); err != nil {
		t.Error(err)
	}
}
