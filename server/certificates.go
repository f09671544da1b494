package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"sluice/config"
	"sluice/internal/certs"
	"sluice/internal/metrics"
)

// acmeFolder keeps what an ACME server has given, below the root.
const acmeFolder = ".sluice/acme"

// openCertificates reads the certificates that the settings name. It returns nil
// where the listener doesn't speak TLS.
func openCertificates(cfg config.Config, log *zap.Logger) (*certs.Source, error) {
	if !cfg.HasTLS() {
		return nil, nil
	}
	source := new(certs.Source)
	if len(cfg.TLSCert) > 0 {
		pairs := make([]certs.Pair, len(cfg.TLSCert))
		for i := range pairs {
			pairs[i] = certs.Pair{Cert: cfg.TLSCert[i], Key: cfg.TLSKey[i]}
		}
		var err error
		if source.Files, err = certs.Open(pairs); err != nil {
			return nil, fmt.Errorf("tls-cert: %w", err)
		}
	}
	if len(cfg.ACMEDomains) > 0 {
		source.ACME = certs.NewACME(certs.ACMEOptions{
			Domains:   cfg.ACMEDomains,
			Directory: cfg.ACMEDirectory,
			Email:     cfg.ACMEEmail,
			Folder:    filepath.Join(cfg.Root, acmeFolder),
			OnError: func(domain string, err error) {
				log.Error("certificate not got", zap.String("domain", domain), zap.Error(err))
			},
		})
	}
	return source, nil
}

// secure is what the public listener needs to speak TLS, nil where it doesn't.
func (s *Server) secure(cfg config.Config, m *metrics.Metrics) *secure {
	if s.certs == nil {
		return nil
	}
	return &secure{
		config:   newTLSConfig(*s.certs),
		patience: cfg.HeaderTimeout,
		failed:   m.ObserveHandshakeFailure,
	}
}

// openRedirect listens for plain HTTP, if the settings name an address.
func (s *Server) openRedirect(cfg config.Config) error {
	if cfg.HTTPRedirectListen == "" {
		return nil
	}
	ln, err := net.Listen("tcp", cfg.HTTPRedirectListen)
	if err != nil {
		return fmt.Errorf("http-redirect-listen: %w", err)
	}
	var around func(http.Handler) http.Handler
	if s.certs.ACME != nil {
		around = s.certs.ACME.HTTPHandler
	}
	s.redirect = newRedirect(ln, s.Addr(), publicHosts(cfg, s.Addr()), around, s.log)
	return nil
}

// certificatesEvery is how often the files of certificates are looked at.
const certificatesEvery = 2 * time.Second

// watchCertificates keeps the certificates up to date until ctx ends.
func (s *Server) watchCertificates(ctx context.Context) {
	if s.certs == nil {
		return
	}
	var all sync.WaitGroup
	defer all.Wait()
	if s.certs.ACME != nil {
		all.Go(func() { s.certs.ACME.Watch(ctx) })
	}
	if s.certs.Files == nil {
		return
	}
	ticker := time.NewTicker(certificatesEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if s.certs.Files.Changed() {
				s.renewCertificates()
			}
		}
	}
}

// reloadCertificates is the part of the certificates: the settings that name
// them need a restart, but the files are read again.
func (s *Server) reloadCertificates() {
	if s.certs != nil && s.certs.Files != nil {
		s.onReload(func(config.Config) (func(), error) { return s.prepareCertificates() })
	}
}

func (s *Server) prepareCertificates() (apply func(), err error) {
	use, err := s.certs.Files.Prepare()
	if err != nil {
		return nil, err
	}
	return func() {
		use()
		s.announceCertificates()
	}, nil
}

// renewCertificates reads the files because they have changed. What is bad in
// them is told, and what was in use stays in use.
func (s *Server) renewCertificates() {
	apply, err := s.prepareCertificates()
	if err != nil {
		s.log.Error("certificates not reloaded", zap.Error(err))
		return
	}
	apply()
}

// certificateNotAfter is when the first certificate ends, zero while there is none.
func (s *Server) certificateNotAfter() (first time.Time) {
	if s.certs == nil {
		return first
	}
	for _, e := range s.certs.Expiries() {
		if first.IsZero() || e.NotAfter.Before(first) {
			first = e.NotAfter
		}
	}
	return first
}

func (s *Server) announceCertificates() {
	for _, e := range s.certs.Files.Expiries() {
		log := s.log.Info
		if time.Now().After(e.NotAfter) {
			log = s.log.Error
		}
		log("certificate in use", zap.String("name", e.Name), zap.Time("not_after", e.NotAfter))
	}
}
