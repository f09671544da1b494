package loadtest

import (
	"bytes"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	"sluice/loadtest/payload"
)

// request is one HTTP/1.1 request, its head written by hand.
type request struct {
	method string
	url    *url.URL
	header []string // whole lines, "Name: value"
	body   body
}

// body is a stretch of a file, with framing before and after it.
type body struct {
	prefix, suffix []byte
	file           payload.File
	from, to       int64
	cut            int64 // offset at which the connection is cut, 0 for nowhere
}

func wholeFile(f payload.File) body { return body{file: f, to: f.Size()} }

func (b body) length() int64 {
	return int64(len(b.prefix)) + b.to - b.from + int64(len(b.suffix))
}

// head returns the request line and the header fields. With closing, the server
// is told that no other request comes on the connection.
func (r *request) head(closing bool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: sluice-load\r\n",
		r.method, r.url.RequestURI(), r.url.Host)
	for _, line := range r.header {
		b.WriteString(line)
		b.WriteString("\r\n")
	}
	if closing {
		b.WriteString("Connection: close\r\n")
	}
	if r.method == "PUT" || r.method == "POST" || r.method == "PATCH" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", r.body.length())
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// oneWrite is the length of bodies that leave together with their heads: copying
// them costs less than a system call more, and a packet more for the server.
const oneWrite = 16 << 10

// send writes the request to c, each block of the file straight from the
// payload, and counts the bytes of the file in t. It returns how many bytes of
// the body, framing included, the kernel took.
func (r *request) send(c *conn, t *tally) (sent int64, err error) {
	first := r.head(c.closing)
	head := len(first)
	first = append(first, r.body.prefix...)
	framing, offset := len(first), r.body.from
	for offset < r.body.to && r.body.to-r.body.from <= oneWrite && r.body.cut == 0 {
		piece := r.body.piece(offset)
		first = append(first, piece...)
		offset += int64(len(piece))
	}
	n, err := c.write(first)
	sent = int64(max(0, n-head))
	t.add(max(0, n-framing))
	for offset < r.body.to && err == nil {
		if r.body.cut > 0 && offset >= r.body.cut {
			return sent, errCut
		}
		n, err = c.write(r.body.piece(offset))
		t.add(n)
		offset += int64(n)
		sent += int64(n)
	}
	if err == nil {
		n, err = c.write(r.body.suffix)
		sent += int64(n)
	}
	return sent, err
}

// piece returns the bytes of the body's file from offset on, as far as they
// stand together.
func (b body) piece(offset int64) []byte {
	end := b.to
	if b.cut > 0 {
		end = b.cut
	}
	block := b.file.At(offset)
	return block[:min(int64(len(block)), end-offset)]
}

// tally counts the bytes of a file, and with those of all others the bytes that
// the progress bar shows. It takes down when the marks of a transfer were passed.
type tally struct {
	bytes int64
	all   *atomic.Int64 // nil for what is not measured

	moved    time.Time // when the first byte of the file did
	sent     time.Time // when the last byte of the last request had left
	answered time.Time // when the first byte of its final answer came
	connect  time.Duration
}

func (t *tally) add(n int) {
	if t.bytes == 0 && n > 0 {
		t.moved = time.Now()
	}
	t.bytes += int64(n)
	if t.all != nil {
		t.all.Add(int64(n))
	}
}
