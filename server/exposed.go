package server

import (
	"errors"
	"fmt"
	"net"

	"sluice/config"
	"sluice/handlers"
)

// ErrExposed is returned where nobody can prove who they are, though strangers
// may come.
var ErrExposed = errors.New("refusing to serve everybody")

// refuseExposed fails if addr can be reached from elsewhere and nobody has to
// prove who they are, unless that is wanted. It is all the same whether the
// socket is a service manager's: what matters is who may come.
func refuseExposed(addr net.Addr, cfg config.Config) error {
	if cfg.Authenticates() || cfg.AllowAnonymousPublic || handlers.AddrOf(addr).IsLoopback() {
		return nil
	}
	return fmt.Errorf("%w: %s can be reached from other machines, and nobody can prove who they are. "+
		"Make tokens (--token-file), listen on a loopback address (--listen 127.0.0.1:8080), perhaps behind a proxy that asks, "+
		"or say that this is wanted (--allow-anonymous-public)", ErrExposed, addr)
}
