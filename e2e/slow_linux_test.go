package e2e_test

import (
	"bytes"
	"strconv"
	"testing"
	"time"
)

// shortTimeouts are flags of a server that is quickly tired of silence.
var shortTimeouts = []string{"--idle-timeout", "1s", "--header-timeout", "1s"}

// An upload that is slow but goes on may take longer than any timeout.
//
// https://github.com/valyala/fasthttp/issues/572
// https://github.com/golang/go/issues/16100
func TestSlowUpload(t *testing.T) {
	t.Parallel()
	const size, seconds = 300_000, 3
	path := content(t, size)
	s := start(t, shortTimeouts...)
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			name := w.protocol + strconv.FormatBool(w.chunks)
			u := w.begin(s.in(t), name, size)
			began := time.Now()
			p := &pacer{rate: size / seconds}
			if err := p.run(u, bytes.NewReader(read(t, path)), size, nil); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took < 2*time.Second {
				t.Fatalf("the upload took %s, too short to prove anything", took)
			}
			u.succeed()
			sameFile(t, s.file(name), path)
		})
	}
}

// A client that falls silent is told so or cut off. What it held is free again
// and no file appears.
//
// https://github.com/php/frankenphp/pull/2465
// https://github.com/valyala/fasthttp/issues/965
func TestSilentClient(t *testing.T) {
	t.Parallel()
	const size, sent = 1_000_000, 200_000
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, shortTimeouts...)
			want := s.scrape().endings(w.protocol)
			want.timeout++
			u := w.begin(s, "silent.bin", size)
			u.send(make([]byte, sent))
			for _, status := range u.peer.rest().statuses() {
				if status != w.stalled {
					t.Errorf("status %d, want %d or none", status, w.stalled)
				}
			}
			s.ends(w.protocol, want)
			s.missing("silent.bin")
		})
	}
}

// Clients that stop inside the head hold a connection no longer than the
// header timeout.
func TestSilentHead(t *testing.T) {
	t.Parallel()
	s := start(t, shortTimeouts...)
	for _, head := range []string{"", "PUT /files/x HT", "PUT /files/x HTTP/1.1\r\nHost: x\r\nContent-Le"} {
		if reply := dial(t, s).send(head).rest(); reply.success() {
			t.Errorf("head %q got %q", head, reply.raw)
		}
	}
}
