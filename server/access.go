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
func (s *Server) openAuth(listen net.Addr, report func(auth.Method, auth.Result)) (err error) {
	anonymous, err := anonymousScopes(s.opts.Config, handlers.AddrOf(listen).IsLoopback())
	if err != nil {
		return err
	}
	cfg := s.opts.Config
	proxied, err := auth.ParseScopes(cfg.UserScopes.List())
	if err != nil {
		return fmt.Errorf("user-scopes: %w", err)
	}
	options := auth.Options{
		Anonymous:   anonymous,
		TokenFile:   cfg.TokenFile,
		LinkKeyFile: cfg.LinkKeyFile,
		JWT: auth.JWTOptions{
			Issuer: cfg.JWTIssuer, Audience: cfg.JWTAudience, KeysURL: cfg.JWTKeysURL, KeysFile: cfg.JWTKeysFile,
			Algorithms: cfg.JWTAlgorithms.List(), ScopesClaim: cfg.JWTScopesClaim, PrefixClaim: cfg.JWTPrefixClaim,
		},
		Proxied:  proxied,
		Report:   report,
		Reloaded: func(err error) { logReload(s.log, err) },
	}
	if cfg.LinkKeyFile != "" {
		if options.Links, err = s.store.Folder(linksFolder); err != nil {
			return fmt.Errorf("open links: %w", err)
		}
	}
	if s.auth, err = auth.New(options); err != nil {
		return fmt.Errorf("open credentials: %w", err)
	}
	return nil
}

// linksFolder is where it is kept how often links have been used.
const linksFolder = "links"

// anonymousScopes is what may be done by whoever shows nothing. By itself that is
// nothing as soon as anybody can show something, or can come from elsewhere.
func anonymousScopes(cfg config.Config, isLoopback bool) (auth.Scopes, error) {
	switch cfg.Anonymous {
	case config.None:
		return 0, nil
	case config.Auto:
		if (isLoopback || cfg.AllowAnonymousPublic) && !cfg.Authenticates() {
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
