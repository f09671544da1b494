package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// startLimited runs the server with a resource limit, as prlimit takes it.
func startLimited(t *testing.T, limit string) *server {
	t.Helper()
	prlimit, err := tool("prlimit")
	if err != nil {
		t.Fatal(err)
	}
	return launch(t, []string{prlimit, limit, suite.race}, newRoot(t))
}

// A limit on the size of files is like a full disk, though the kernel also
// sends a signal that ends most programs.
//
// https://github.com/Velocidex/velociraptor/issues/2885
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	const limit = 10_000_000
	path := content(t, large)
	data := read(t, path)
	s := startLimited(t, fmt.Sprintf("--fsize=%d", limit))
	for _, args := range [][]string{
		{"-T", path, s.fileURL("f")},
		{"-H", chunked, "-T", path, s.fileURL("f")},
		{"-F", "file=@" + path + ";filename=f", s.url("/files/")},
	} {
		curl(t, args...).wantProblem(t, 507)
		s.missing("f")
	}
	upload := s.createTus("f", large)
	s.patch(upload, 0, data).wantProblem(t, 507)
	if offset, kept := s.offset(upload), s.keptSize(upload); offset != kept || kept > limit {
		t.Errorf("offset %d, %d bytes on the disk", offset, kept)
	}
	eventually(t, "the server is at rest", s.atRest)
	curlWith(t, bytes.NewReader(data[:limit]), "-T", "-", s.fileURL("fits")).want(t, 201)
}

// When connections have taken all file descriptors, requests on those that are
// open are refused, and nothing is lost but the time until some are closed.
func TestDescriptorLimit(t *testing.T) {
	t.Parallel()
	const limit, clients = 64, 200
	s := startLimited(t, fmt.Sprintf("--nofile=%d", limit))
	early := idleConnection(t, s)
	var crowd []*peer
	for range clients {
		crowd = append(crowd, dial(t, s))
	}
	eventually(t, "all descriptors are taken", func() bool { return s.descriptors() >= limit-1 })
	a := early.send(requestHead("PUT", "/files/early", length(5)), "hello").head()
	if got := a.statuses(); len(got) != 1 || (got[0] != 503 && got[0] != 201) {
		t.Errorf("statuses %v, want 503 or 201", got)
	}
	if a.success() != (len(s.stored()) == 1) {
		t.Errorf("after %q the disk holds %q", a.raw, s.stored())
	}
	for _, p := range crowd {
		p.rst()
	}
	eventually(t, "the server recovers", func() bool {
		a, err := runCurl(nil, "--max-time", "5", "-X", "PUT", "--data-binary", "hello", s.fileURL("late"))
		return err == nil && a.success()
	})
	eventually(t, "the descriptors are free again", func() bool { return s.descriptors() < limit/2 })
}

// descriptors counts the open files and sockets of the process.
func (s *server) descriptors() int {
	s.t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	return len(entries)
}
