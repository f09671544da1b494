package server

import (
	"errors"
	"fmt"
	"net"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"
)

// adminSocket is the FileDescriptorName= of the admin listener's socket unit.
// Any other socket is the public one's.
const adminSocket = "admin"

// inherited are the sockets that systemd holds for us while we are down, so
// that a restart refuses nobody. Those that there are take the place of the
// addresses in the settings.
type inherited struct{ public, admin net.Listener }

func inheritSockets() (inherited, error) {
	named, err := activation.ListenersWithNames()
	if err != nil {
		return inherited{}, fmt.Errorf("take over sockets: %w", err)
	}
	var in inherited
	for name, listeners := range named {
		for _, ln := range listeners {
			switch {
			case name == adminSocket && in.admin == nil:
				in.admin = ln
			case name != adminSocket && in.public == nil:
				in.public = ln
			default:
				return inherited{}, errors.Join(fmt.Errorf("take over sockets: one too many, %q", name), ln.Close())
			}
		}
	}
	return in, nil
}

// listenOr listens on addr unless there is an inherited socket.
func listenOr(ln net.Listener, addr string) (net.Listener, error) {
	if ln != nil {
		return ln, nil
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return ln, nil
}

// notify tells systemd of a change of state, if it asked to be told
// (Type=notify).
func (s *Server) notify(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		s.log.Warn("notify systemd", zap.Error(err))
	}
}
