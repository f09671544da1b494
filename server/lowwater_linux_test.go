package server

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// upload is both ends of a connection on which a body of a few MiB is coming.
type upload struct {
	*testing.T
	client net.Conn
	conn   *conn
}

// newUpload has read the request's head. A body is a fast one if it comes within
// the given time.
func newUpload(t *testing.T, length int64, within time.Duration) *upload {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	socket, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	c := newConn(socket.(*net.TCPConn), &listener{head: 4096})
	c.water.counting.within = within
	u := &upload{t, client, c}
	head := fmt.Sprintf("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", length)
	u.send([]byte(head))
	u.receive(len(head))
	return u
}

func (u *upload) send(data []byte) {
	u.Helper()
	if _, err := u.client.Write(data); err != nil {
		u.Fatal(err)
	}
}

func (u *upload) receive(n int) {
	u.Helper()
	if _, err := io.CopyN(io.Discard, u.conn, int64(n)); err != nil {
		u.Fatal(err)
	}
}

// pass moves n bytes in small writes.
func (u *upload) pass(n int) {
	u.Helper()
	sent := make(chan error, 1)
	go func() {
		small := make([]byte, 16<<10)
		for left := n; left > 0; left -= len(small) {
			if _, err := u.client.Write(small[:min(left, len(small))]); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	u.receive(n)
	if err := <-sent; err != nil {
		u.Fatal(err)
	}
}

// want checks the socket's low-water mark, which is 1 or 0 where nobody has set it.
func (u *upload) want(mark int) {
	u.Helper()
	raw, err := u.conn.socket.SyscallConn()
	if err != nil {
		u.Fatal(err)
	}
	got := 0
	if controlErr := raw.Control(func(fd uintptr) {
		got, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT)
	}); controlErr != nil || err != nil {
		u.Fatal(controlErr, err)
	}
	if max(got, 1) != mark {
		u.Errorf("the low-water mark is %d, want %d", got, mark)
	}
}

const quick = time.Hour

// The reader of a fast body isn't woken for each of the client's small writes;
// what follows the body wakes it at once.
func TestFastBodyIsGathered(t *testing.T) {
	const length = 8 << 20
	u := newUpload(t, length, quick)
	u.want(1)
	u.pass(fastBytes)
	u.want(lowMark)
	u.pass(length - fastBytes)
	u.want(1)

	next := "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	u.send([]byte(next))
	u.receive(len(next))
}

// A client that stops in the middle isn't kept waiting for what it has sent.
func TestFewBytesOfAFastBodyAreRead(t *testing.T) {
	u := newUpload(t, 8<<20, quick)
	u.pass(fastBytes)
	u.want(lowMark)
	received := make(chan struct{})
	go func() {
		defer close(received)
		u.receive(1000)
	}()
	awaitReader()
	u.send(make([]byte, 1000))
	<-received
	u.want(1)
}

// awaitReader returns once a goroutine waits in a connection's Read.
func awaitReader() {
	stacks := make([]byte, 1<<20)
	for {
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(stack, "[IO wait]") && strings.Contains(stack, "(*conn).Read(") {
				return
			}
		}
		runtime.Gosched()
	}
}

// Of a body that is cut off, all that came is read.
func TestCutFastBodyIsRead(t *testing.T) {
	u := newUpload(t, 8<<20, quick)
	u.pass(fastBytes)
	u.want(lowMark)
	u.send(make([]byte, 1000))
	u.client.Close()
	n, err := io.Copy(io.Discard, u.conn)
	if n != 1000 || err != nil {
		t.Errorf("read %d bytes and %v, want 1000", n, err)
	}
}

func TestSlowBodyIsReadAsItComes(t *testing.T) {
	u := newUpload(t, 8<<20, 0)
	u.pass(4 * fastBytes)
	u.want(1)
}
