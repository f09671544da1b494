package e2e_test

import (
	"os"
	"strings"
	"testing"
)

// otherClient is a second address of this machine.
const otherClient = "127.0.0.2"

// crowdedOut fails the test unless the answer sends the client away for a while.
func (a answer) crowdedOut(t testing.TB) {
	t.Helper()
	a.wantProblem(t, 503)
	if a.header.Get("Retry-After") == "" {
		t.Error("the refusal does not say when to come again")
	}
}

// Connections beyond the limit are told so, and closed. One that ends makes
// place for another.
func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, flag string
		perClient  bool
	}{
		{"in all", "--max-connections", false},
		{"of a client", "--max-connections-per-client", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, test.flag, "2")
			first, second := idleConnection(t, s), idleConnection(t, s)
			small, large := content(t, 1000), content(t, 5*mib+1)
			for _, args := range [][]string{
				{s.url("/files/")},
				{"-T", small, s.fileURL("f")},
				{"-T", large, s.fileURL("f")},
				{"-T", large, "-H", "Expect:", s.fileURL("f")},
				{"-F", "file=@" + small, s.url("/files/")},
			} {
				curl(t, args...).crowdedOut(t)
			}
			if got := s.stored(); len(got) > 0 {
				t.Errorf("the disk holds %q", got)
			}
			if a := curl(t, "--interface", otherClient, s.url("/files/")); a.success() != test.perClient {
				t.Errorf("another client got status %d", a.status)
			}
			first.rst()
			eventually(t, "there is place for a connection", func() bool {
				a, err := runCurl(nil, "-T", small, s.fileURL("f"))
				return err == nil && a.success()
			})
			second.send(requestHead("HEAD", "/files/")).head() // it was never in danger
		})
	}
}

// Transfers beyond the limit are told so, by each way, and store nothing. One
// that ends, well or not, makes place for another.
func TestTransferLimit(t *testing.T) {
	t.Parallel()
	const size = 100_000
	path := content(t, size)
	data := read(t, path)
	for _, test := range []struct {
		name, flag string
		perClient  bool
	}{
		{"in all", "--max-transfers", false},
		{"of a client", "--max-transfers-per-client", true},
	} {
		for _, w := range ways {
			t.Run(test.name+" by "+w.name, func(t *testing.T) {
				t.Parallel()
				s := start(t, test.flag, "2")
				s.put("there", "content")
				stays, leaves := w.beginHalf(s, "stays", data), w.beginHalf(s, "leaves", data)
				s.refusesTransfers(path)
				if a := curl(t, "--interface", otherClient, s.fileURL("there")); a.success() != test.perClient {
					t.Errorf("another client got status %d", a.status)
				}
				leaves.peer.rst()
				eventually(t, "there is place for an upload", func() bool {
					a, err := runCurl(nil, "-T", path, s.fileURL("new"))
					return err == nil && a.success()
				})
				stays.succeedWith(data[size/2:])
				s.sendByEachWay(path)
			})
		}
	}
}

// refusesTransfers tries each way in and out.
func (s *server) refusesTransfers(path string) {
	s.t.Helper()
	before := len(s.stored())
	curl(s.t, "-T", path, s.fileURL("refused")).crowdedOut(s.t)
	a := curl(s.t, "-T", path, "-H", "Expect: 100-continue", s.fileURL("refused"))
	a.crowdedOut(s.t)
	a.unasked(s.t)
	curl(s.t, "-H", chunked, "-T", path, s.fileURL("refused")).crowdedOut(s.t)
	curl(s.t, "-F", "file=@"+path+";filename=refused", s.url("/files/")).crowdedOut(s.t)
	curl(s.t, s.fileURL("there")).crowdedOut(s.t)
	info, err := os.Stat(path)
	if err != nil {
		s.t.Fatal(err)
	}
	upload := s.createTus("refused", int(info.Size()))
	s.patch(upload, 0, read(s.t, path)).crowdedOut(s.t)
	if offset := s.offset(upload); offset != 0 {
		s.t.Errorf("offset %d, want 0", offset)
	}
	if got := s.stored(); len(got) != before {
		s.t.Errorf("the disk holds %q", got)
	}
	curl(s.t, s.url("/files/")).want(s.t, 200) // a listing is no transfer
}

// sendByEachWay is what has to work again, more often than the limit.
func (s *server) sendByEachWay(path string) {
	s.t.Helper()
	data := read(s.t, path)
	for range 3 {
		curl(s.t, "-T", path, s.fileURL("again")).want(s.t, 200, 201)
		curl(s.t, "-F", "file=@"+path+";filename=again", s.url("/files/")).want(s.t, 200)
		s.patch(s.createTus("again", len(data)), 0, data).want(s.t, 204)
		curl(s.t, s.fileURL("again")).want(s.t, 200)
	}
	if log := s.log.String(); strings.Contains(log, `"status":500`) {
		s.t.Error("a request failed for reasons of the server")
	}
}
