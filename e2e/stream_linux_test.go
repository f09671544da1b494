package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// listener reads a stream of events.
type listener struct {
	t      testing.TB
	answer *http.Response
	lines  *bufio.Scanner
}

// listen opens the stream of transfers at an address.
func listen(t testing.TB, addr string) *listener {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/api/v1/transfers/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, mib)
	l := &listener{t, answer, lines}
	t.Cleanup(l.leave)
	return l
}

func (l *listener) leave() { _ = l.answer.Body.Close() }

// until reads events until one is as wanted.
func (l *listener) until(what string, ok func(transferList) bool) {
	l.t.Helper()
	if kind := l.answer.Header.Get("Content-Type"); l.answer.StatusCode != 200 || kind != "text/event-stream" {
		l.t.Fatalf("status %d, type %q", l.answer.StatusCode, kind)
	}
	name := ""
	for l.lines.Scan() {
		line := l.lines.Text()
		if event, is := strings.CutPrefix(line, "event: "); is {
			name = event
		}
		data, is := strings.CutPrefix(line, "data: ")
		if !is {
			continue
		}
		var list transferList
		if err := json.Unmarshal([]byte(data), &list); err != nil || name != "transfers" {
			l.t.Fatalf("event %q with %q: %v", name, data, err)
		}
		if ok(list) {
			return
		}
	}
	l.t.Fatalf("the stream ended before %s: %v", what, l.lines.Err())
}

// A stream tells of a transfer from its beginning to its end, on both listeners,
// and takes nothing with it when its listener has left or the server stops.
func TestTransferStream(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, addr := range map[string]string{"public": s.addr, "admin": s.admin} {
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			before := s.goroutines()
			l := listen(t, addr)
			u := wayPUT.begin(s, "watched-"+name, 2)
			u.send([]byte("x"))
			l.until("it runs", func(list transferList) bool {
				return len(list.Running) == 1 && list.Running[0].Bytes == 1 && list.Running[0].Phase == "receiving"
			})
			u.succeedWith([]byte("y"))
			l.until("it has ended", func(list transferList) bool {
				return len(list.Running) == 0 && len(list.Recent) > 0 && list.Recent[0].Name == "watched-"+name && list.Recent[0].Result == "ok"
			})
			l.leave()
			eventually(t, "the listener's goroutines end", func() bool { return s.goroutines() <= before+2 })
		})
	}
	t.Run("crowd", func(t *testing.T) {
		s := s.in(t)
		before := s.goroutines()
		var all []*listener
		for range 32 {
			all = append(all, listen(t, s.addr))
		}
		if l := listen(t, s.addr); l.answer.StatusCode != 503 || l.answer.Header.Get("Retry-After") == "" {
			t.Errorf("one listener too many got %d", l.answer.StatusCode)
		}
		for _, l := range all {
			l.leave()
		}
		eventually(t, "the listeners' goroutines end", func() bool { return s.goroutines() <= before+2 })
	})
	listen(t, s.addr).until("it has begun", func(transferList) bool { return true })
	listen(t, s.admin).until("it has begun", func(transferList) bool { return true })
	s.terminate()
	if code := s.wait(); code != 0 || strings.Contains(s.log.String(), "grace is over") {
		t.Errorf("exit code %d with listeners, want 0 without waiting for them", code)
	}
}

// HTTP/1.0 knows no chunks.
func TestTransferStreamNeedsChunks(t *testing.T) {
	t.Parallel()
	s := start(t)
	if reply := dial(t, s).send("GET /api/v1/transfers/stream HTTP/1.0\r\nHost: x\r\n\r\n").rest(); !strings.Contains(string(reply.raw), " 505 ") {
		t.Errorf("answer %q", reply.raw)
	}
}

// stop asks for the end of the only transfer that runs.
func (s *server) stop(addr string) {
	s.t.Helper()
	running := s.transfers().Running
	if len(running) != 1 {
		s.t.Fatalf("%d transfers run, want 1", len(running))
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodDelete, fmt.Sprintf("http://%s/api/v1/transfers/%s", addr, running[0].ID), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != 202 {
		s.t.Errorf("status %d, want 202", answer.StatusCode)
	}
}

// An upload that an operator stops gets an answer that says so, and leaves
// nothing but what tus can go on with.
func TestStopUpload(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			s := s.in(t)
			before := s.scrape().sum(finishedTotal, "result=stopped")
			u := w.beginHalf(s, "stopped", make([]byte, mib))
			s.stop([]string{s.addr, s.admin}[i%2])
			if reply := u.peer.rest(); len(reply.statuses()) != 1 || reply.statuses()[0] != 403 || !strings.Contains(string(reply.raw), "An operator of this server has ended the transfer.") {
				t.Errorf("answer %q", reply.raw)
			}
			eventually(t, "the server is at rest", s.atRest)
			s.missing("stopped")
			last := s.transfers().Recent[0]
			if last.Result != "stopped" || last.Status != 403 || !strings.Contains(last.Reason, "operator") {
				t.Errorf("recorded as %+v", last)
			}
			if got := s.scrape().sum(finishedTotal, "result=stopped"); got != before+1 {
				t.Errorf("%v stopped, want %v", got, before+1)
			}
		})
	}
	// What tus had taken is still there.
	path := s.createTus("resumed", 4)
	u := dial(t, s).send(patchHead(path, 0, 4), "ab")
	s.received("tus", mib/2+2)
	s.stop(s.addr)
	if got := u.rest().statuses(); len(got) != 1 || got[0] != 403 {
		t.Errorf("statuses %v, want 403", got)
	}
	if offset := s.tusOffset(path); offset != "2" {
		t.Errorf("it is at %s, want 2", offset)
	}
	s.patch(path, 2, []byte("cd")).want(t, 204)
	if got := string(read(t, s.file("resumed"))); got != "abcd" {
		t.Errorf("stored %q", got)
	}
}

// A download that an operator stops ends with its connection, also where its
// client takes nothing.
func TestStopDownload(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("large", string(make([]byte, 64*mib)))
	p := dial(t, s).send(requestHead("GET", "/files/large"))
	eventually(t, "it runs", func() bool {
		running := s.transfers().Running
		return len(running) == 1 && running[0].Bytes > 0
	})
	s.stop(s.admin)
	eventually(t, "it has ended", func() bool { return s.scrape().sum(finishedTotal, "protocol=get", "result=stopped") == 1 })
	if reply := p.rest(); len(reply.raw) >= 64*mib {
		t.Error("all of the file came")
	}
	eventually(t, "the server is at rest", s.atRest)
	if status, _ := s.operate(http.MethodDelete, "/api/v1/transfers/0123456789abcdef"); status != 404 {
		t.Errorf("what doesn't run: status %d, want 404", status)
	}
}

// With tokens, everybody sees and stops their own transfers, and an admin all.
func TestTransfersAreTheirOwners(t *testing.T) {
	t.Parallel()
	keys := newKeyring(t)
	alice, bob, admin := keys.add("alice", "write"), keys.add("bob", "write,read,list,delete"), keys.add("root", "admin")
	s := start(t, "--token-file", keys.path)
	u := dial(t, s).send(requestHead("PUT", "/files/mine", length(4), bearer(alice)), "ab")
	s.received("put", 2)
	running := func(who string) []struct{ ID string } {
		t.Helper()
		var list struct{ Running []struct{ ID string } }
		curl(t, "-H", bearer(who), s.url("/api/v1/transfers")).want(t, 200).decode(t, &list)
		return list.Running
	}
	if a, b := running(admin), running(bob); len(a) != 1 || len(b) != 0 {
		t.Fatalf("an admin sees %v, another %v", a, b)
	}
	for path, method := range map[string]string{"/api/v1/transfers": "GET", "/api/v1/transfers/stream": "GET", "/api/v1/transfers/x": "DELETE"} {
		curl(t, "-X", method, s.url(path)).want(t, 401)
	}
	path := s.url("/api/v1/transfers/" + running(alice)[0].ID)
	curl(t, "-X", "DELETE", "-H", bearer(bob), path).want(t, 404)
	tokenFile := filepath.Join(folder(t), "token")
	if err := os.WriteFile(tokenFile, []byte(alice+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := sluice(t, "top", "--once", "--url", "http://"+s.addr, "--token-file", tokenFile); err != nil || !strings.Contains(out, "mine") {
		t.Errorf("top shows %q, %v", out, err)
	}
	curl(t, "-X", "DELETE", "-H", bearer(alice), path).want(t, 202)
	if got := u.rest().statuses(); len(got) != 1 || got[0] != 403 {
		t.Errorf("statuses %v, want 403", got)
	}
}
