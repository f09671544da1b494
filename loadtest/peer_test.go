package loadtest_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"sluice/loadtest/payload"
)

// peerFileSize is the length of every file that the peer gives.
const peerFileSize = 256 << 20

// servePeer is the cheapest server there can be: it drops what is PUT and gives
// the content of the payload's file 0 to each GET. It ends when stdin does.
func servePeer() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go servePeerConn(c)
		}
	}()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func servePeerConn(c net.Conn) {
	defer func() { _ = c.Close() }()
	head := bufio.NewReaderSize(c, 4<<10)
	file := payload.New(1, 0).File(0, peerFileSize)
	buffer := make([]byte, 1<<20)
	for {
		r, err := http.ReadRequest(head)
		if err != nil {
			return
		}
		switch r.Method {
		case http.MethodPut:
			for err == nil {
				_, err = r.Body.Read(buffer)
			}
			_, err = io.WriteString(c, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
		case http.MethodGet:
			_, err = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", file.Size())
			for offset := int64(0); offset < file.Size() && err == nil; {
				var n int
				n, err = c.Write(file.At(offset))
				offset += int64(n)
			}
		default:
			_, err = io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
		}
		if err != nil {
			return
		}
	}
}

// startPeer starts the peer and returns its address and process.
func startPeer(b *testing.B) (address string, pid int) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), peerVariable+"=1")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line), cmd.Process.Pid
}
