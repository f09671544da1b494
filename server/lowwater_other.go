//go:build !linux

package server

import (
	"errors"
	"net"
)

func setLowMark(*net.TCPConn, int) error { return errors.ErrUnsupported }
