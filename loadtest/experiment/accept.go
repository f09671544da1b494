package experiment

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
)

// rawResponder is the baseline of measurement D: an accept loop that reads what
// has come, writes fixed content and closes.
func rawResponder() responder {
	return responder{name: "raw accept loop", target: func(size int64) (string, func(), error) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", nil, err
		}
		var loop sync.WaitGroup
		loop.Go(func() { acceptRaw(listener, size, &loop) })
		stop := func() {
			_ = listener.Close() // which ends the loop, whatever it returns
			loop.Wait()
		}
		return "http://" + listener.Addr().String() + "/", stop, nil
	}}
}

// acceptRaw answers until the listener is closed.
func acceptRaw(listener net.Listener, size int64, answering *sync.WaitGroup) {
	head := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", size)
	content := make([]byte, size)
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		answering.Go(func() { answerRaw(conn, head, content) })
	}
}

// answerRaw answers one request. What is put, so that it can be asked for, is
// read to its end and dropped.
func answerRaw(conn net.Conn, head, content []byte) {
	defer func() { _ = conn.Close() }()
	request := make([]byte, 4<<10)
	n, err := conn.Read(request)
	if err != nil {
		return
	}
	request = request[:n]
	if bytes.HasPrefix(request, []byte("PUT ")) {
		if _, err := io.CopyN(io.Discard, conn, bodyLeft(request)); err == nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		}
		return
	}
	pieces := net.Buffers{head, content}
	_, _ = pieces.WriteTo(conn) // a client that has left needs no answer
}

// bodyLeft is how much of a body is still to come after the beginning of a
// request, which has the whole head.
func bodyLeft(request []byte) int64 {
	head, body, _ := bytes.Cut(request, []byte("\r\n\r\n"))
	var length int64
	for line := range bytes.Lines(head) {
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			length, _ = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
		}
	}
	return length - int64(len(body))
}
