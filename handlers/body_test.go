package handlers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// serveBody runs handle with the body of the one request that talk sends.
func serveBody(t *testing.T, idle time.Duration, talk func(net.Conn), handle func(*body)) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	handled := make(chan struct{})
	server := &fasthttp.Server{
		StreamRequestBody: true, MaxRequestBodySize: 1, DisablePreParseMultipartForm: true,
		Logger: log.New(io.Discard, "", 0),
		Handler: func(ctx *fasthttp.RequestCtx) {
			defer close(handled)
			handle(newBody(ctx, patience{idle: idle}))
		},
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := server.Serve(ln); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	talk(c)
	// The answer, if the client is still there for it, ends the request.
	_, _ = http.ReadResponse(bufio.NewReader(c), nil)
	c.Close()
	<-handled // though the client has left before
	ln.Close()
	wg.Wait()
}

// However a body ends before its time, the error says why.
func TestBodyEnds(t *testing.T) {
	t.Parallel()
	const sized = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
	const chunked = "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, test := range []struct {
		name, request string
		leave         bool // close after the request, or fall silent
		content       string
		err           error
	}{
		{"whole", sized + "0123456789", false, "0123456789", nil},
		{"empty", "PUT / HTTP/1.1\r\nHost: x\r\n\r\n", false, "", nil},
		{"zero length", "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", false, "", nil},
		{"left in mid-body", sized + "01234", true, "01234", errAborted},
		{"silent in mid-body", sized + "01234", false, "01234", errIdle},
		{"chunks", chunked + "5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n", false, "hello!", nil},
		{"left between chunks", chunked + "5\r\nhello\r\n", true, "hello", errAborted},
		{"left in a chunk", chunked + "a\r\nhel", true, "hel", errAborted},
		{"left after a size line", chunked + "5\r\n", true, "", errAborted},
		{"left in a size", chunked + "5", true, "", errAborted},
		{"left before the last CRLF", chunked + "5\r\nhello\r\n0\r\n", true, "hello", errAborted},
		{"silent in a size", chunked + "5", false, "", errIdle},
		{"silent between chunks", chunked + "5\r\nhello\r\n", false, "hello", errIdle},
		{"size is no number", chunked + "xyz\r\nhello\r\n0\r\n\r\n", false, "", errBadBody},
		{"chunk longer than its size", chunked + "3\r\nhello\r\n0\r\n\r\n", false, "hel", errBadBody},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			serveBody(t, 100*time.Millisecond, func(c net.Conn) {
				io.WriteString(c, test.request)
				if test.leave {
					c.Close()
				}
			}, func(b *body) {
				got, err := io.ReadAll(b)
				if string(got) != test.content || !errors.Is(err, test.err) {
					t.Errorf("read %q, %v; want %q, %v", got, err, test.content, test.err)
				}
				if fmt.Sprint(b.err) != fmt.Sprint(err) {
					t.Errorf("the body remembers %v", b.err)
				}
			})
		})
	}
}

// Close from elsewhere ends a read that runs, and no later one begins.
func TestBodyCloseInterrupts(t *testing.T) {
	t.Parallel()
	serveBody(t, time.Hour, func(c net.Conn) {
		io.WriteString(c, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n0")
	}, func(b *body) {
		p := make([]byte, 10)
		if n, err := b.Read(p); n != 1 || err != nil {
			t.Errorf("first read: %d, %v", n, err)
		}
		go b.Close()
		for range 2 {
			if n, err := b.Read(p); n != 0 || !errors.Is(err, errStopped) {
				t.Errorf("read after close: %d, %v", n, err)
			}
		}
	})
}

// A request that has ended can't be closed any more: what it was made of serves
// the next one.
func TestBodyCloseAfterEnd(t *testing.T) {
	t.Parallel()
	ended := make(chan bool)
	serveBody(t, time.Hour, func(c net.Conn) {
		io.WriteString(c, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n0")
		<-ended
		io.WriteString(c, "1")
	}, func(b *body) {
		p := make([]byte, 1)
		if n, err := b.Read(p); n != 1 || err != nil {
			t.Errorf("first read: %d, %v", n, err)
		}
		b.end()
		b.Close()
		close(ended)
		if n, err := b.src.Read(p); n != 1 {
			t.Errorf("the connection is disturbed: %d, %v", n, err)
		}
	})
}

func TestLimited(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		size int
		want error
	}{{0, nil}, {9, nil}, {10, nil}, {11, ErrTooLarge}, {1000, ErrTooLarge}} {
		n, err := io.Copy(io.Discard, limit(io.LimitReader(zeroReader{}, int64(test.size)), 10))
		if !errors.Is(err, test.want) || n != int64(min(test.size, 10)) {
			t.Errorf("%d bytes through a limit of 10: %d, %v", test.size, n, err)
		}
	}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
