package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// minRate and a short patience with it, for tests of slow clients.
const minRate = 100_000

var impatient = []string{"--idle-timeout", "1s", "--min-rate", strconv.Itoa(minRate)}

// Clients that drip, so that they are never silent, are told so or cut off.
// What they held is free again.
func TestDrippingUpload(t *testing.T) {
	t.Parallel()
	const size = 100 * minRate // far more than they ever send
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, impatient...)
			want := s.scrape().endings(w.protocol)
			want.timeout++
			u := w.begin(s, "drip.bin", size)
			stop := make(chan struct{})
			dripped := make(chan struct{})
			go func() {
				defer close(dripped)
				p := &pacer{rate: minRate / 4}
				_ = p.run(u, endless{}, size, stop) // the server ends it
			}()
			for _, status := range u.peer.rest().statuses() {
				if status != w.stalled {
					t.Errorf("status %d, want %d or none", status, w.stalled)
				}
			}
			close(stop)
			<-dripped
			s.ends(w.protocol, want)
			s.missing("drip.bin")
		})
	}
}

// Those above the minimum may take as long as they need.
func TestSteadyUpload(t *testing.T) {
	t.Parallel()
	const seconds = 3
	const size = seconds * 3 * minRate
	path := content(t, size)
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, impatient...)
			u := w.begin(s, "steady.bin", size)
			p := &pacer{rate: size / seconds}
			if err := p.run(u, bytes.NewReader(read(t, path)), size, nil); err != nil {
				t.Fatal(err)
			}
			u.succeed()
			sameFile(t, s.file("steady.bin"), path)
		})
	}
}

// The minimum holds for those who read, too.
func TestDrippingDownload(t *testing.T) {
	t.Parallel()
	const size = 64 * mib
	for _, send := range []string{"direct", "sendfile"} {
		t.Run(send, func(t *testing.T) {
			t.Parallel()
			s := start(t, append(impatient, "--send", send)...)
			curl(t, "-T", content(t, size), s.fileURL("f")).want(t, 201)
			want := s.scrape().endings("get")
			want.timeout++
			p := dial(t, s)
			if err := p.conn.SetReadBuffer(64 * kib); err != nil {
				t.Fatal(err)
			}
			p.send(requestHead("GET", "/files/f"))
			dripped := make(chan struct{})
			go func() {
				defer close(dripped)
				drip := &watched{src: p.conn, rate: minRate / 4, sent: new(atomic.Int64)}
				_, _ = io.Copy(io.Discard, drip) // the test ends it
			}()
			s.ends("get", want)
			p.rst()
			<-dripped
		})
	}
}

// record is what the server says of a transfer that has ended.
type record struct {
	Name     string    `json:"name"`
	Bytes    float64   `json:"bytes"`
	MeanRate float64   `json:"mean_bytes_per_second"`
	Start    time.Time `json:"start"`
	End      time.Time `json:"end"`
}

func (s *server) records() []record {
	s.t.Helper()
	var list struct{ Recent []record }
	curl(s.t, s.url("/api/v1/transfers")).want(s.t, 200).decode(s.t, &list)
	return list.Recent
}

// A bound on the rate of each transfer is kept by each way in and out, and
// changes nothing else.
func TestTransferRate(t *testing.T) {
	t.Parallel()
	const limit = 4_000_000
	path := content(t, limit+1)
	s := start(t, "--transfer-rate", strconv.Itoa(limit))
	for _, send := range []func(t *testing.T, s *server, path, name string){sendPUT, sendChunked, sendForm, sendTusCurl} {
		send(t, s, path, "f")
		sameFile(t, s.file("f"), path)
		curl(t, "-X", "DELETE", s.fileURL("f")).want(t, 204)
	}
	sendPUT(t, s, path, "f")
	if err := download(s.fileURL("f"), path); err != nil {
		t.Error(err)
	}
	eventually(t, "the server is at rest", s.atRest)
	records := s.records()
	if len(records) != 6 {
		t.Errorf("%d transfers have ended, want 6", len(records))
	}
	for _, r := range records {
		if r.MeanRate > 1.2*limit {
			t.Errorf("%.0f bytes went at %.0f bytes per second, limit %d", r.Bytes, r.MeanRate, limit)
		}
	}
}

// A bound on the rate of a direction holds for all of its transfers together,
// and not for the other one's.
func TestTotalRate(t *testing.T) {
	t.Parallel()
	const limit, streams = 6_000_000, 3
	path := content(t, limit/streams)
	for _, test := range []struct {
		flag string
		move func(s *server, name string) error
	}{
		{"--upload-rate", func(s *server, name string) error {
			_, err := runCurl(nil, "-T", path, s.fileURL(name))
			return err
		}},
		{"--download-rate", func(s *server, name string) error { return download(s.fileURL(name), path) }},
	} {
		t.Run(test.flag, func(t *testing.T) {
			t.Parallel()
			s := start(t, test.flag, strconv.Itoa(limit))
			for i := range streams {
				curl(t, "-T", path, s.fileURL(fmt.Sprint(i))).want(t, 201)
			}
			before := len(s.records())
			together(t, streams, func(i int) error { return test.move(s, fmt.Sprint(i)) })
			eventually(t, "the server is at rest", s.atRest)
			var first, last time.Time
			for _, r := range s.records()[:streams] {
				if first.IsZero() || r.Start.Before(first) {
					first = r.Start
				}
				if r.End.After(last) {
					last = r.End
				}
			}
			if got := len(s.records()); got != before+streams {
				t.Errorf("%d transfers have ended, want %d", got, before+streams)
			}
			if rate := limit / last.Sub(first).Seconds(); rate > 1.2*limit {
				t.Errorf("%d transfers went at %.0f bytes per second together, limit %d", streams, rate, limit)
			}
			for i := range streams {
				sameFile(t, s.file(fmt.Sprint(i)), path)
			}
		})
	}
}
