//go:build !linux

package loadtest

import (
	"io"
	"net"
)

// discarder drops bytes that arrive at a TCP socket.
type discarder struct {
	c     *net.TCPConn
	scrap []byte
}

func newDiscarder(c *net.TCPConn) (*discarder, error) {
	return &discarder{c: c, scrap: make([]byte, maxReceiveBuffer)}, nil
}

// drop waits for bytes and drops up to limit of them. It returns at least one
// or an error.
func (d *discarder) drop(limit int64) (int, error) {
	n, err := d.c.Read(d.scrap[:min(limit, int64(len(d.scrap)))])
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
