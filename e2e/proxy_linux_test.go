package e2e_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// cutter is a TCP proxy that breaks off the connection that carries a certain
// byte, once.
type cutter struct {
	target string
	mu     sync.Mutex
	left   int64 // bytes to the server until the cut; negative once it is done
}

// cutProxy runs a proxy to addr that cuts after n bytes from the client, and
// returns its URL.
func cutProxy(t testing.TB, addr string, n int64) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	c := &cutter{target: addr, left: n}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			go c.serve(conn.(*net.TCPConn))
		}
	}()
	return "http://" + listener.Addr().String()
}

// serve passes on what one connection carries.
func (c *cutter) serve(client *net.TCPConn) {
	defer client.Close()
	conn, err := net.Dial("tcp", c.target)
	if err != nil {
		return // the client sees its connection close
	}
	server := conn.(*net.TCPConn)
	defer server.Close()
	var answers sync.WaitGroup
	answers.Go(func() {
		_, _ = io.Copy(client, server) // ends with either connection
		_ = client.CloseWrite()
	})
	if c.forward(server, client) {
		// Closed like this, both ends see a reset.
		_ = client.SetLinger(0)
		_ = server.SetLinger(0)
		return
	}
	_ = server.CloseWrite()
	answers.Wait()
}

// forward passes the client's bytes on and reports whether it met the cut.
// Connections take turns, as the client's requests do.
func (c *cutter) forward(server, client *net.TCPConn) (cut bool) {
	c.mu.Lock()
	left := c.left
	c.mu.Unlock()
	if left < 0 {
		_, _ = io.Copy(server, client)
		return false
	}
	n, err := io.CopyN(server, client, left)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left -= n; err == nil {
		c.left = -1
		return true
	}
	return false
}
