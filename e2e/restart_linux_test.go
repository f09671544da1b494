package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strconv"
	"testing"
)

// fixedAddr is an address that a server can be started at more than once. It lies
// outside of the ports that the system gives to whoever asks for any.
func fixedAddr(t testing.TB) string {
	t.Helper()
	for range 100 {
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000)))
		if err == nil {
			defer ln.Close()
			return ln.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// Real clients go on by themselves when the server is killed and starts again,
// and the file is what was sent.
func TestTusClientsOutliveTheServer(t *testing.T) {
	t.Parallel()
	const size, rate = 24*mib + 1, 12 * mib
	path := content(t, size)
	inNode := func(t testing.TB, addr string, args ...string) error {
		_, err := tusUpload(t, "http://"+addr+"/tus/", path, "f", args...)
		return err
	}
	inChromium := func(t testing.TB, addr string, args ...string) error {
		_, err := browse(t, site(t, addr), path, "f", args...)
		return err
	}
	state := filepath.Join(folder(t), "state")
	inPython := func(t testing.TB, addr string, args ...string) error {
		return tuspy(t, "http://"+addr+"/tus/", path, "f", state, args...)
	}
	for _, test := range []struct {
		name   string
		upload func(t testing.TB, addr string, args ...string) error
		args   []string
		again  bool // the client has to be started again
	}{
		{"Node, one PATCH", inNode, []string{"--retry"}, false},
		{"Node, chunks", inNode, []string{"--retry", "--chunk-size", chunkSize}, false},
		{"Node, parallel", inNode, []string{"--retry", "--parallel", "4"}, false},
		{"Node, deferred length", inNode, []string{"--retry", "--defer-length", "--chunk-size", strconv.Itoa(2 * mib)}, false},
		{"Chromium, one PATCH", inChromium, []string{"--retry"}, false},
		{"Chromium, chunks", inChromium, []string{"--retry", "--chunk-size", chunkSize}, false},
		{"Chromium, parallel", inChromium, []string{"--retry", "--parallel", "4"}, false},
		{"tuspy", inPython, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			addr := fixedAddr(t)
			first := start(t, "--listen", addr, "--upload-rate", strconv.Itoa(rate), "--durability", "every=1MiB")
			done := make(chan error, 1)
			go func() { done <- test.upload(t, addr, test.args...) }()
			first.received("tus", size/2)
			first.kill()
			second := startIn(t, first.root, "--listen", addr)
			err := <-done
			if test.again {
				if err == nil {
					t.Error("the client did not notice")
				}
				err = test.upload(t, addr, test.args...)
			}
			if err != nil {
				t.Fatal(err)
			}
			if sent := second.countedBytes("tus"); sent == 0 || sent > size-size/4 {
				t.Errorf("%d bytes were sent to the second server, want what the first one lacked", sent)
			}
			sameFile(t, second.file("f"), path)
		})
	}
}
