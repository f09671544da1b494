package loadtest

import "golang.org/x/sys/unix"

// stale says that the server has closed the connection, or sent what nobody has
// asked for, since the last answer. Finding that out before the next request is
// no failure of anybody; a server may close what is idle (RFC 9112 section 9.5).
func (c *conn) stale() bool {
	if c.answers.Buffered() > 0 {
		return true
	}
	if !c.isPlain() && !c.stopped() {
		return false // what TLS sends after its handshake may be there still
	}
	raw, err := c.tcp.SyscallConn()
	if err != nil {
		return true
	}
	stale := false
	var peeked [1]byte
	err = raw.Control(func(fd uintptr) {
		_, _, err := unix.Recvfrom(int(fd), peeked[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		stale = err != unix.EAGAIN
	})
	return stale || err != nil
}
