package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// network is a bad network between a client and a server.
type network struct {
	t     testing.TB
	proxy *toxiproxy.Proxy
}

// badNetwork leads to addr.
func badNetwork(t testing.TB, addr string) *network {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	n := &network{t, toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", addr)}
	if err := n.proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.proxy.Stop)
	return n
}

func (n *network) endpoint() string { return "http://" + n.proxy.Listen + "/tus/" }

// add puts a toxic of a kind on what clients send.
func (n *network) add(kind, attributes string) {
	n.t.Helper()
	toxic := fmt.Sprintf(`{"name": %q, "type": %[1]q, "stream": "upstream", "attributes": {%s}}`, kind, attributes)
	if _, err := n.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		n.t.Fatal(err)
	}
}

func (n *network) remove(kind string) {
	n.t.Helper()
	if err := n.proxy.Toxics.RemoveToxic(n.t.Context(), kind); err != nil {
		n.t.Fatal(err)
	}
}

// tusFull is a variable of the environment: when it is set, uploads through bad
// networks and of leaks are as large as the server has to bear.
const tusFull = "TUS_FULL"

// An upload of which the connection breaks off at any byte, again and again,
// arrives as it was sent.
func TestTusCutOften(t *testing.T) {
	t.Parallel()
	const cuts = 20
	size := int64(100 * mib)
	if os.Getenv(tusFull) != "" {
		size = gib
	}
	path := content(t, size)
	s := start(t)
	n := badNetwork(t, s.addr)
	// Each connection breaks off after as many bytes.
	piece := size / (cuts + 1)
	piece -= rand.Int64N(piece / 100)
	t.Logf("cut after each %d bytes", piece)
	n.add("limit_data", `"bytes": `+strconv.FormatInt(piece, 10))
	exchanges, err := tusUpload(t, n.endpoint(), path, "f", "--retry")
	if err != nil {
		t.Fatal(err)
	}
	if got := count(exchanges, "HEAD"); got < cuts {
		t.Errorf("the upload went on %d times, want at least %d", got, cuts)
	}
	if got := count(exchanges, "POST"); got != 1 {
		t.Errorf("the upload began %d times", got)
	}
	sameFile(t, s.file("f"), path)
}

// A client behind a network that is slow for a while, or that carries nothing for
// longer than the server has patience, arrives too.
func TestTusOnBadNetwork(t *testing.T) {
	t.Parallel()
	// Much more than the sockets on the way hold, or it would all be past the network already.
	const size, idle = 32 * mib, 2 * time.Second
	path := content(t, size)
	for _, test := range []struct {
		name, kind, attributes string
		long                   time.Duration // for how long the network is bad
		// resumes tells that the client has to go on with another request.
		resumes bool
	}{
		{"64 KB/s", "bandwidth", `"rate": 64`, 2 * idle, false},
		{"no byte at all", "bandwidth", `"rate": 0`, 2 * idle, true},
		{"bytes are lost and nobody is told", "timeout", `"timeout": 0`, 2 * idle, true},
		{"reset", "reset_peer", `"timeout": 0`, idle / 2, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "--idle-timeout", idle.String(), "--upload-rate", strconv.Itoa(8*mib))
			n := badNetwork(t, s.addr)
			type result struct {
				exchanges []exchange
				err       error
			}
			done := make(chan result, 1)
			go func() {
				exchanges, err := tusUpload(t, n.endpoint(), path, "f", "--retry")
				done <- result{exchanges, err}
			}()
			s.received("tus", size/4)
			n.add(test.kind, test.attributes)
			time.Sleep(test.long)
			n.remove(test.kind)
			got := <-done
			if got.err != nil {
				t.Fatal(got.err)
			}
			if heads := count(got.exchanges, "HEAD"); count(got.exchanges, "POST") != 1 || heads > 0 != test.resumes {
				t.Errorf("exchanges %+v; want the upload to go on by another request: %t", got.exchanges, test.resumes)
			}
			sameFile(t, s.file("f"), path)
		})
	}
}

// A connection of which the network loses every byte, and both ends, is taken
// over by whoever comes.
func TestTakeoverOnBadNetwork(t *testing.T) {
	t.Parallel()
	const size, sent = 3_000_000, 1_000_000
	path := content(t, size)
	data := read(t, path)
	s := start(t)
	n := badNetwork(t, s.addr)
	upload := s.createTus("f", size)
	through := &server{process: process{t: t}, addr: n.proxy.Listen}
	p := dial(t, through).send(patchHead(upload, 0, size), string(data[:sent]))
	s.received("tus", sent)
	n.add("timeout", `"timeout": 0`)
	p.send(string(data[sent : sent+sent/2])) // to nowhere
	if offset := s.offset(upload); offset != sent {
		t.Errorf("offset %d, want all %d bytes that have arrived", offset, sent)
	}
	s.resume(upload, data, sent)
	sameFile(t, s.file("f"), path)
}
