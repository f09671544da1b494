package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// driftEach is how many transfers end in each of the ways in which they do.
const driftEach = 100

// driftSize is what each of them would move, in bytes.
const driftSize = 50_000

// However many transfers have ended, and however they did: nothing is left that
// counts as running, each is counted once under its true result, the bytes are
// those that have come, and no rate was ever anything but a number.
func TestCountsDoNotDrift(t *testing.T) {
	t.Parallel()
	t.Run("finished, aborted and refused", func(t *testing.T) {
		t.Parallel()
		d := newDrift(t)
		d.finish()
		d.abort(cutFIN)
		d.abort(cutRST)
		d.refuse()
		d.check()
	})
	t.Run("timed out", func(t *testing.T) {
		t.Parallel()
		d := newDrift(t, "--idle-timeout", "1s")
		d.timeOut()
		d.check()
	})
	t.Run("failed on a full disk", func(t *testing.T) {
		t.Parallel()
		d := newDriftIn(t, mountTmpfs(t, "size=4m").root())
		d.fail()
		d.check()
	})
}

// drift is a server and what it ought to have counted, by protocol.
type drift struct {
	*server
	unwatch func()
	want    map[string]*endings
	// least and most bound the bytes that have come.
	least, most map[string]int
}

func newDrift(t *testing.T, flags ...string) *drift { return newDriftIn(t, newRoot(t), flags...) }

func newDriftIn(t *testing.T, root string, flags ...string) *drift {
	t.Helper()
	s := startIn(t, root, flags...)
	d := &drift{server: s, unwatch: s.watchMetrics(), want: make(map[string]*endings), least: make(map[string]int), most: make(map[string]int)}
	for _, w := range ways {
		d.want[w.protocol] = new(endings)
	}
	return d
}

// each makes driftEach uploads, by all ways in turn.
func (d *drift) each(make func(w way, name string)) {
	for i := range driftEach {
		make(ways[i%len(ways)], fmt.Sprint("file-", i))
	}
}

// moved notes that the server has n bytes, or as many less as the way may hold
// back of an upload that breaks off.
func (d *drift) moved(w way, n, held int) {
	d.least[w.protocol] += n - held
	d.most[w.protocol] += n
}

func (d *drift) finish() {
	d.each(func(w way, name string) {
		u := w.begin(d.server, name, driftSize)
		u.send(make([]byte, driftSize))
		u.succeed()
		d.want[w.protocol].ok++
		d.moved(w, driftSize, 0)
	})
}

// halfway begins all uploads and sends half of each. They will end as count says.
func (d *drift) halfway(count func(*endings)) (running []*uploading) {
	d.each(func(w way, name string) {
		u := w.begin(d.server, name, driftSize)
		u.send(make([]byte, driftSize/2))
		running = append(running, u)
		count(d.want[w.protocol])
		d.moved(w, driftSize/2, w.held)
	})
	return running
}

// abort lets all uploads run at a time, and ends them in the middle.
func (d *drift) abort(how cut) {
	running := d.halfway(func(e *endings) { e.aborted++ })
	for protocol, n := range d.least {
		d.received(protocol, n)
	}
	for _, u := range running {
		u.peer.end(how)
	}
}

// refuse sends what doesn't have the digest that it comes with.
func (d *drift) refuse() {
	const digest = "Repr-Digest: sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:\r\n"
	field := map[string][2]string{ // by protocol: behind which line it stands, and the field
		"put":  {"Host: sluice\r\n", digest},
		"form": {"Content-Type: application/octet-stream\r\n", digest},
		"tus":  {"Host: sluice\r\n", "Upload-Checksum: sha1 AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n"},
	}
	d.each(func(w way, name string) {
		line, spoilt := field[w.protocol][0], field[w.protocol][1]
		open := w.open
		w.open = func(s *server, name string, size int) (head, tail string) {
			if w.protocol == "form" {
				size += len(spoilt) // it is a part of the body
			}
			head, tail = open(s, name, size)
			return strings.Replace(head, line, line+spoilt, 1), tail
		}
		u := w.begin(d.server, name, driftSize)
		u.send(make([]byte, driftSize))
		if reply := u.finish(); reply.success() || len(reply.statuses()) != 1 {
			d.t.Errorf("%s with another digest got %q", w.name, reply.raw)
		}
		d.want[w.protocol].refused++
		d.moved(w, driftSize, 0)
	})
}

// timeOut lets all uploads fall silent in the middle.
func (d *drift) timeOut() {
	for _, u := range d.halfway(func(e *endings) { e.timeout++ }) {
		if reply := u.peer.rest(); reply.success() {
			d.t.Errorf("an upload that fell silent got %q", reply.raw)
		}
	}
}

// fail sends what is larger than the disk, without saying so before.
func (d *drift) fail() {
	const size = 5_000_000
	const once = "Connection: close" // for the server ends those of failed uploads
	c := d.client()
	for i := range driftEach {
		method, path, fields, protocol := "PUT", "/files/f", []string{once}, "put"
		if i%2 == 1 {
			upload, err := c.must("POST", "/tus/", nil, 0, once, tusVersion, "Upload-Defer-Length: 1")
			if err != nil {
				d.t.Fatal(err)
			}
			method, path, protocol = "PATCH", upload.header.Get("Location"), "tus"
			fields = []string{once, tusVersion, tusType, "Upload-Offset: 0"}
		}
		// The server may close before it has read all, and the client miss the answer.
		a, err := c.do(method, path, io.LimitReader(endless{}, size), -1, fields...)
		if err == nil && a.status != 507 {
			d.t.Errorf("%s: status %d, want 507: %s", protocol, a.status, a.body)
		}
		if protocol == "tus" {
			if _, err := c.must("DELETE", path, nil, 0, once, tusVersion); err != nil {
				d.t.Error(err)
			}
		}
		d.want[protocol].failed++
		d.most[protocol] += size
	}
	if failed := d.scrape().sum(refusedTotal, "reason=no_space"); failed != driftEach {
		d.t.Errorf("%v answers say that there is no space, want %d", failed, driftEach)
	}
}

// check compares what is counted with what has happened.
func (d *drift) check() {
	for protocol, want := range d.want {
		d.ends(protocol, *want)
	}
	d.unwatch()
	eventually(d.t, "all connections are closed", func() bool { return d.scrape().sum(connectionsOpen) == 0 })
	m, logged := d.scrape(), d.loggedBytes()
	for protocol, want := range d.want {
		if started := int(m.sum(startedTotal, "protocol="+protocol)); started != want.total() {
			d.t.Errorf("%s: %d transfers have begun, and %d ended", protocol, started, want.total())
		}
		if open := want.aborted + want.refused + want.timeout; protocol == "tus" && int(m.sum(tusOpen)) != open {
			d.t.Errorf("%v tus uploads are open, want the %d that broke off", m.sum(tusOpen), open)
		}
		counted := d.countedBytes(protocol)
		if counted < d.least[protocol] || counted > d.most[protocol] {
			d.t.Errorf("%s: %d bytes are counted, want %d to %d", protocol, counted, d.least[protocol], d.most[protocol])
		}
		if counted != logged[protocol] {
			d.t.Errorf("%s: %d bytes are counted, %d stand in the log", protocol, counted, logged[protocol])
		}
	}
}

// loggedBytes adds up the bytes of all transfers in the log, by protocol.
func (s *server) loggedBytes() map[string]int {
	total := make(map[string]int)
	for line := range strings.Lines(s.log.String()) {
		var entry struct {
			Msg      string `json:"msg"`
			Protocol string `json:"protocol"`
			Bytes    int    `json:"bytes"`
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "transfer" {
			total[entry.Protocol] += entry.Bytes
		}
	}
	return total
}
