package loadtest

import (
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// discardAtOnce bounds what one system call drops, and so how often progress
// is seen.
const discardAtOnce = 1 << 20

// discarder drops bytes that arrive at a TCP socket inside the kernel.
type discarder struct {
	raw   syscall.RawConn
	limit int
	n     uintptr
	errno syscall.Errno
}

func newDiscarder(c *net.TCPConn) (*discarder, error) {
	raw, err := c.SyscallConn()
	return &discarder{raw: raw}, err
}

// drop waits for bytes and drops up to limit of them. It returns at least one
// or an error.
func (d *discarder) drop(limit int64) (int, error) {
	d.limit = int(min(limit, discardAtOnce))
	err := d.raw.Read(d.receive)
	switch {
	case err != nil:
		return 0, err
	case d.errno != 0:
		return 0, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("recvfrom", d.errno)}
	case d.n == 0:
		return 0, io.ErrUnexpectedEOF
	}
	return int(d.n), nil
}

// receive makes the system call; false means that there is nothing yet. With
// MSG_TRUNC a TCP socket drops what it would have copied, so that there need
// not be a buffer: tcp(7).
func (d *discarder) receive(fd uintptr) bool {
	for {
		d.n, _, d.errno = unix.Syscall6(unix.SYS_RECVFROM, fd, 0,
			uintptr(d.limit), unix.MSG_TRUNC|unix.MSG_DONTWAIT, 0, 0)
		if d.errno != unix.EINTR {
			return d.errno != unix.EAGAIN
		}
	}
}
