package e2e_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inject makes system calls of the running server fail, until stop is called.
// Faults are as strace takes them: "fdatasync:error=EIO", and so are further
// options.
func (s *server) inject(fault string, options ...string) (stop func()) {
	s.t.Helper()
	calls, _, _ := strings.Cut(fault, ":")
	args := append([]string{"-f", "-o", "/dev/null", "-e", "trace=" + calls, "-e", "inject=" + fault,
		"-p", strconv.Itoa(s.cmd.Process.Pid)}, options...)
	cmd := toolCommand(s.t, "strace", args...)
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

// fault is one as strace takes it, with the answer to an upload that meets it.
type fault struct {
	fault  string
	status int
}

// faults are what a disk can do to an upload.
var faults = []fault{
	{"pwrite64:error=ENOSPC", 507},
	{"pwrite64:error=EDQUOT", 507},
	{"pwrite64:error=EIO", 500},
	{"pwrite64:error=EROFS", 503},
	{"fdatasync:error=ENOSPC", 507},
	{"fdatasync:error=EIO", 500},
	{"renameat,renameat2:error=ENOSPC", 507},
	{"renameat,renameat2:error=EIO", 500},
	{"renameat,renameat2:error=EROFS", 503},
}

// injectUpload is inject during the only upload that runs. Of all that is closed
// meanwhile, only its file fails.
func (s *server) injectUpload(fault string) (stop func()) {
	s.t.Helper()
	if !strings.HasPrefix(fault, "close:") {
		return s.inject(fault)
	}
	files := s.temporary()
	if len(files) != 1 {
		s.t.Fatalf("%q are on their way, want one", files)
	}
	return s.inject(fault, "-P", files[0])
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
			// A tus upload is safe before its file is closed.
			for _, test := range append([]fault{{"close:error=EIO", 500}}, faults...) {
				t.Run(test.fault, func(t *testing.T) {
					s := s.in(t)
					s.put("f", "older")
					u := w.beginHalf(s, "f", newer)
					stop := s.injectUpload(test.fault)
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
	stop := s.inject("renameat2:error=EIO")
	a := curlWith(t, strings.NewReader("hello"), "-T", "-", "-H", "If-None-Match: *", s.fileURL("f"))
	stop()
	a.wantProblem(t, 500)
	s.missing("f")
	eventually(t, "the server is at rest", s.atRest)
}

// Where the file system can't rename without replacing, a link gives a new file
// its name.
func TestNewNameByLink(t *testing.T) {
	t.Parallel()
	s := start(t)
	stop := s.inject("renameat2:error=EINVAL")
	put := func(content string) answer {
		return curlWith(t, strings.NewReader(content), "-T", "-", "-H", "If-None-Match: *", s.fileURL("f"))
	}
	first, second := put("first"), put("second")
	stop()
	first.want(t, 201)
	second.wantProblem(t, 412)
	if got := string(read(t, s.file("f"))); got != "first" {
		t.Errorf("the file holds %q", got)
	}
}

// When the folder of a file can't be synced, the file may be the old or the new
// one, but success must not be told. The quota counts what stands there.
func TestDiskFailsFolderSync(t *testing.T) {
	t.Parallel()
	s := start(t, "--quota", "1GB")
	s.put("f", "old")
	for _, by := range senders[:2] { // of tus, the state couldn't be written either
		t.Run(by.name, func(t *testing.T) {
			s := s.in(t)
			stop := s.inject("fsync:error=EIO")
			a := by.send(s, "f", "newer by "+by.name)
			stop()
			a.wantProblem(t, 500)
			got := string(read(t, s.file("f")))
			if got != "old" && got != "newer by "+by.name {
				t.Errorf("the file holds %q", got)
			}
			eventually(t, "the server is at rest", s.atRest)
			if used := s.scrape().sum("sluice_storage_used_bytes"); int(used) != len(got) {
				t.Errorf("%.0f bytes count as used, the file has %d", used, len(got))
			}
			curl(t, "-X", "DELETE", s.fileURL("f")).want(t, 204)
			s.put("f", "old")
		})
	}
	if used := s.scrape().sum("sluice_storage_used_bytes"); used != 3 {
		t.Errorf("%.0f bytes count as used at the end, want 3", used)
	}
}

// A server that is killed when it has just given a tus upload another name than
// was asked for finds it under that name.
func TestKilledBesideAnother(t *testing.T) {
	t.Parallel()
	flags := []string{"--on-conflict", "rename", "--quota", "1GB"}
	s := start(t, flags...)
	s.put("f.txt", "older")
	path := s.createTus("f.txt", 5)
	stop := s.inject("fsync:signal=SIGKILL", "-P", s.root)
	s.forced = true
	p := dial(t, s)
	_ = p.try(patchHead(path, 0, 5), "hello")
	if got := p.rest().statuses(); len(got) > 0 {
		t.Errorf("a killed server answered %v", got)
	}
	s.wait()
	stop()

	again := startIn(t, s.root, flags...)
	if offset := again.offset(path); offset != 5 {
		t.Errorf("offset %d, want 5", offset)
	}
	if got := again.stored(); len(got) != 2 {
		t.Errorf("the disk holds %q, want two files", got)
	}
	if got := string(read(t, again.file("f.txt"))) + string(read(t, again.file("f (1).txt"))); got != "olderhello" {
		t.Errorf("the files hold %q", got)
	}
	if state := string(read(t, again.file(".sluice/uploads/"+filepath.Base(path)+".info"))); !strings.Contains(state, `"name":"f (1).txt"`) {
		t.Errorf("what is written down is %s", state)
	}
	if used := again.scrape().sum("sluice_storage_used_bytes"); used != 10 {
		t.Errorf("%.0f bytes count as used, want 10", used)
	}
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
