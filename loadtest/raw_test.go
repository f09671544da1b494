package loadtest_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"

	"sluice/loadtest/payload"
)

// bytesOf returns the content of a file.
func bytesOf(f payload.File) []byte {
	var data []byte
	for int64(len(data)) < f.Size() {
		data = append(data, f.At(int64(len(data)))...)
	}
	return data
}

// exchange is a request that a raw server has read the head of.
type exchange struct {
	*http.Request
	conn net.Conn
	// done is closed when the test is over.
	done <-chan struct{}
}

// reply writes text to the connection as it is.
func (x exchange) reply(text string) { _, _ = io.WriteString(x.conn, text) }

// drain reads the rest of the request.
func (x exchange) drain() { _, _ = io.Copy(io.Discard, x.Body) }

// startRaw starts a server that answers each request on each connection by serve
// and closes the connection when that returns false. It returns its URL.
func startRaw(t *testing.T, serve func(exchange) bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer func() { _ = c.Close() }()
				head := bufio.NewReader(c)
				for {
					r, err := http.ReadRequest(head)
					if err != nil || !serve(exchange{r, c, done}) {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() {
		close(done)
		_ = listener.Close()
		running.Wait()
	})
	return "http://" + listener.Addr().String() + "/"
}
