package e2e_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// A connection that ends in the middle of an upload leaves no file, keeps an
// older one whole and counts as aborted.
//
// https://github.com/nextcloud/server/issues/62321
// https://github.com/owncloud/ocis/issues/3438
func TestCutUpload(t *testing.T) {
	t.Parallel()
	const size = 1_000_000
	older := content(t, size)
	for _, test := range []struct {
		way
		cuts []int
	}{
		{wayPUT, []int{4096, 8191, 8192, 8193, 300_000}},
		{wayChunked, []int{8193, 300_000}},
		{wayForm, []int{8193, 300_000}},
	} {
		w := test.way
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			curl(t, "-T", older, s.url("/files/older.bin")).want(t, 201)
			want := s.scrape().endings(w.protocol)
			for _, name := range []string{"older.bin", "new.bin"} {
				for _, at := range test.cuts {
					for _, how := range cuts {
						want.aborted++
						t.Run(fmt.Sprintf("%s after %d bytes by %s", name, at, how), func(t *testing.T) {
							cutUpload(s.in(t), w, name, size, at, how)
							s.in(t).ends(w.protocol, want)
							sameFile(t, s.file("older.bin"), older)
							s.in(t).missing("new.bin")
						})
					}
				}
			}
			if err := download(s.url("/files/older.bin"), older); err != nil {
				t.Error(err)
			}
		})
	}
}

// cutUpload sends the beginning of an upload and cuts the connection once the
// server has it.
func cutUpload(s *server, w way, name string, size, at int, how cut) {
	s.t.Helper()
	before := s.countedBytes(w.protocol)
	u := w.begin(s, name, size)
	u.send(make([]byte, at))
	s.received(w.protocol, before+at-w.held)
	u.peer.end(how)
}

// A chunked body without its last chunk is no complete one.
//
// https://github.com/fatedier/frp/issues/1192
// https://github.com/membrane/api-gateway/pull/3195
func TestChunkedBodyWithoutEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	want := s.scrape().endings("put")
	for _, test := range []struct{ name, body string }{
		{"between chunks", "5\r\nhello\r\n"},
		{"inside a chunk", "a\r\nhel"},
		{"behind the content of a chunk", "5\r\nhello"},
		{"behind the size of a chunk", "5\r\n"},
		{"inside the size of a chunk", "5"},
		{"behind the digits of a size", "5\r\nhello\r\n5"},
		{"inside the last chunk", "5\r\nhello\r\n0"},
		{"after a large chunk", "493e0\r\n" + strings.Repeat("x", 300_000) + "\r\n"},
		{"inside a large chunk", "493e0\r\n" + strings.Repeat("x", 200_000)},
		{"nothing", ""},
	} {
		for _, how := range cuts {
			want.aborted++
			t.Run(test.name+" by "+string(how), func(t *testing.T) {
				s := s.in(t)
				started := s.scrape().sum(startedTotal, "protocol=put")
				p := dial(t, s).send(requestHead("PUT", "/files/c.bin", chunked), test.body)
				eventually(t, "the upload starts", func() bool {
					return s.scrape().sum(startedTotal, "protocol=put") > started
				})
				p.end(how)
				s.ends("put", want)
				s.missing("c.bin")
			})
		}
	}
}

// All data has arrived when only the very last line end is missing: the file
// is either stored whole or not at all.
func TestChunkedBodyWithoutLastLineEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	reply := dial(t, s).send(requestHead("PUT", "/files/c.bin", chunked), "5\r\nhello\r\n0\r\n").fin().rest()
	if !reply.success() {
		s.missing("c.bin")
		return
	}
	if got := read(t, s.file("c.bin")); string(got) != "hello" {
		t.Errorf("stored %q, want %q", got, "hello")
	}
}

// A PATCH that is cut keeps the bytes that have arrived, nothing else, and the
// upload goes on from there.
//
// https://github.com/valyala/fasthttp/pull/970
// https://github.com/valyala/fasthttp/issues/2067
func TestCutTusPatch(t *testing.T) {
	t.Parallel()
	const size, sent = 1_000_000, 300_000
	whole := bytes.Repeat([]byte("A"), size)
	ends := map[string]struct {
		cut  func(p *peer)
		want func(e *endings)
	}{
		"by fin":     {func(p *peer) { p.end(cutFIN) }, func(e *endings) { e.aborted++ }},
		"by rst":     {func(p *peer) { p.end(cutRST) }, func(e *endings) { e.aborted++ }},
		"by silence": {func(p *peer) { p.rest() }, func(e *endings) { e.timeout++ }},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "--idle-timeout", "1s")
			want := s.scrape().endings("tus")
			path := s.createTus("tus.bin", size)
			p := dial(t, s).send(patchHead(path, 0, size), string(whole[:sent]))
			s.received("tus", sent)
			end.cut(p)
			end.want(&want)
			s.ends("tus", want)

			if offset := s.tusOffset(path); offset != strconv.Itoa(sent) {
				t.Fatalf("offset is %s after %d bytes", offset, sent)
			}
			if kept := read(t, s.file(".sluice/uploads/"+strings.TrimPrefix(path, "/tus/"))); !bytes.Equal(kept, whole[:sent]) {
				t.Errorf("%d bytes are kept, not all of them what was sent", len(kept))
			}
			s.missing("tus.bin")
			dial(t, s).send(patchHead(path, sent, size-sent), string(whole[sent:])).fin().rest()
			if !bytes.Equal(read(t, s.file("tus.bin")), whole) {
				t.Error("the file is not what was sent in the two pieces")
			}
		})
	}
}
