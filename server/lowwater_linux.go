package server

import (
	"net"

	"golang.org/x/sys/unix"
)

func setLowMark(socket *net.TCPConn, bytes int) error {
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var setErr error
	if err := raw.Control(func(fd uintptr) {
		setErr = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT, bytes)
	}); err != nil {
		return err
	}
	return setErr
}
