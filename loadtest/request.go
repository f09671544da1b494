package loadtest

import (
	"bytes"
	"fmt"
	"net/url"
	"sync/atomic"

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
}

func wholeFile(f payload.File) body { return body{file: f, to: f.Size()} }

func (b body) length() int64 {
	return int64(len(b.prefix)) + b.to - b.from + int64(len(b.suffix))
}

// head returns the request line and the header fields, and the framing before
// the file, so that both leave in one packet.
func (r *request) head() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: sluice-load\r\n",
		r.method, r.url.RequestURI(), r.url.Host)
	for _, line := range r.header {
		b.WriteString(line)
		b.WriteString("\r\n")
	}
	if r.method == "PUT" || r.method == "POST" || r.method == "PATCH" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", r.body.length())
	}
	b.WriteString("\r\n")
	b.Write(r.body.prefix)
	return b.Bytes()
}

// send writes the request to c, each block of the file straight from the
// payload, and counts the bytes of the file in t. It returns how many bytes of
// the body, framing included, the kernel took.
func (r *request) send(c *conn, t *tally) (sent int64, err error) {
	head := r.head()
	n, err := c.write(head)
	sent = max(0, int64(n-len(head)+len(r.body.prefix)))
	if err != nil {
		return sent, err
	}
	for offset := r.body.from; offset < r.body.to; {
		block := r.body.file.At(offset)
		block = block[:min(int64(len(block)), r.body.to-offset)]
		n, err := c.write(block)
		t.add(n)
		offset += int64(n)
		sent += int64(n)
		if err != nil {
			return sent, err
		}
	}
	n, err = c.write(r.body.suffix)
	return sent + int64(n), err
}

// tally counts the bytes of files: those of one transfer, and with those of all
// others the bytes that the progress bar shows.
type tally struct {
	bytes int64
	all   *atomic.Int64
}

func (t *tally) add(n int) {
	t.bytes += int64(n)
	t.all.Add(int64(n))
}
