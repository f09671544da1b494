package server

import (
	"fmt"
	"net"

	"go.uber.org/zap"

	"sluice/config"
	"sluice/handlers"
	"sluice/internal/auth"
)

// openAuth makes what tells whom a request is from.
func (s *Server) openAuth(listen net.Addr) (err error) {
	anonymous, err := anonymousScopes(s.opts.Config, handlers.AddrOf(listen).IsLoopback())
	if err != nil {
		return err
	}
	s.auth, err = auth.New(auth.Options{
		Anonymous: anonymous,
		TokenFile: s.opts.Config.TokenFile,
		Reloaded:  func(err error) { logReload(s.log, err) },
	})
	return err
}

// anonymousScopes is what may be done by whoever shows nothing. By itself that is
// nothing as soon as anybody can show something, or can come from elsewhere.
func anonymousScopes(cfg config.Config, isLoopback bool) (auth.Scopes, error) {
	switch cfg.Anonymous {
	case config.None:
		return 0, nil
	case config.Auto:
		if isLoopback && !cfg.Authenticates() {
			return auth.All, nil
		}
		return 0, nil
	}
	scopes, err := auth.ParseScopes(cfg.Anonymous.List())
	if err != nil {
		return 0, fmt.Errorf("anonymous: %w", err)
	}
	return scopes, nil
}

// logReload tells of a file of credentials that has been read again.
func logReload(log *zap.Logger, err error) {
	if err != nil {
		log.Error("credentials can't be read, so that the old ones stay", zap.Error(err))
		return
	}
	log.Info("credentials read again")
}
