package experiment

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"
)

// nativeBuffer is what the raw copy reads and writes at a time.
const nativeBuffer = 1 << 20

// nativeCosts measures a raw copy over TCP on this machine: a length, so many
// bytes, and a byte back.
func (l *lab) nativeCosts(ctx context.Context) (c costs, err error) {
	c = costs{name: "raw TCP copy"}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return c, err
	}
	ended := make(chan error, 1)
	go func() { ended <- takeRaw(listener) }()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", listener.Addr().String())
	if err != nil {
		return c, errors.Join(err, listener.Close())
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	content := make([]byte, nativeBuffer)
	for _, length := range lengths {
		var seconds []float64
		for range l.count(length.files) {
			began := time.Now()
			if err = sendRaw(conn, content, l.size(length.size)); err != nil {
				break
			}
			seconds = append(seconds, time.Since(began).Seconds())
		}
		if err != nil {
			break
		}
		c.add(length.size, seconds)
	}
	return c, errors.Join(err, conn.Close(), <-ended)
}

func sendRaw(conn net.Conn, content []byte, n int64) error {
	head := binary.BigEndian.AppendUint64(nil, uint64(n))
	first := min(n, int64(len(content))-8)
	if _, err := conn.Write(append(head, content[:first]...)); err != nil {
		return err
	}
	for left := n - first; left > 0; {
		m, err := conn.Write(content[:min(left, int64(len(content)))])
		if err != nil {
			return err
		}
		left -= int64(m)
	}
	_, err := io.ReadFull(conn, head[:1])
	return err
}

// takeRaw takes what one connection sends until it ends.
func takeRaw(listener net.Listener) error {
	conn, err := listener.Accept()
	if err := errors.Join(err, listener.Close()); err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	buffer := make([]byte, nativeBuffer)
	for {
		if _, err := io.ReadFull(conn, buffer[:8]); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		for left := int64(binary.BigEndian.Uint64(buffer)); left > 0; {
			n, err := conn.Read(buffer[:min(left, int64(len(buffer)))])
			if err != nil {
				return err
			}
			left -= int64(n)
		}
		if _, err := conn.Write(buffer[:1]); err != nil {
			return err
		}
	}
}
