package certs

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// ACMEProtocol is the application protocol by which an ACME server proves that
// a name leads here (RFC 8737).
const ACMEProtocol = acme.ALPNProto

// ACMEOptions say what certificates are got and from whom.
type ACMEOptions struct {
	Domains   []string // at least one
	Directory string   // the URL of the server's directory
	Email     string   // where the server may write to, or empty
	Folder    string   // keeps certificates and keys, readable by the owner alone
	// OnError is told what could not be got, and tried again.
	OnError func(domain string, err error)
}

// ACME gets the certificates of some names and renews them in time. The terms of
// service of the ACME server count as accepted.
type ACME struct {
	opts    ACMEOptions
	manager *autocert.Manager

	mu       sync.Mutex
	expiries map[string]time.Time
}

// NewACME gets nothing before [ACME.Watch] or a client asks.
func NewACME(opts ACMEOptions) *ACME {
	return &ACME{
		opts: opts,
		manager: &autocert.Manager{
			Prompt:     autocert.AcceptTOS,
			Cache:      autocert.DirCache(opts.Folder),
			HostPolicy: autocert.HostWhitelist(opts.Domains...),
			Client:     &acme.Client{DirectoryURL: opts.Directory, UserAgent: "sluice"},
			Email:      opts.Email,
		},
		expiries: make(map[string]time.Time),
	}
}

// HTTPHandler answers the ACME server's questions on port 80 (RFC 8555 section
// 8.3), and leaves all else to next. A port in the name that is asked for means
// nothing to it.
func (a *ACME) HTTPHandler(next http.Handler) http.Handler {
	answer := a.manager.HTTPHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, _, err := net.SplitHostPort(r.Host); err == nil && strings.HasPrefix(r.URL.Path, "/.well-known/acme-challenge/") {
			r = r.Clone(r.Context())
			r.Host = name
		}
		answer.ServeHTTP(w, r)
	})
}

const (
	// watchEvery is how often the certificates are looked at, to tell when they
	// expire. Renewing needs no looking.
	watchEvery = time.Hour
	// A certificate that could not be got is tried again after retryFirst, then
	// after twice as long each time, up to watchEvery. Public authorities take
	// few failures an hour.
	retryFirst = 2 * time.Minute
)

// Watch gets the certificates and then keeps an eye on them until ctx ends.
func (a *ACME) Watch(ctx context.Context) {
	var all sync.WaitGroup
	for _, domain := range a.opts.Domains {
		all.Go(func() { a.watch(ctx, domain) })
	}
	all.Wait()
}

func (a *ACME) watch(ctx context.Context, domain string) {
	retry := retryFirst
	for {
		wait := watchEvery
		if err := a.get(ctx, domain); err == nil {
			retry = retryFirst
		} else if ctx.Err() == nil {
			a.opts.OnError(domain, err)
			wait = retry
			retry = min(2*retry, watchEvery)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// get asks for a certificate as a client of today does. It gives up waiting, but
// not the request itself, when ctx ends.
func (a *ACME) get(ctx context.Context, domain string) error {
	got := make(chan error, 1)
	go func() {
		cert, err := a.manager.GetCertificate(&tls.ClientHelloInfo{
			ServerName:       domain,
			SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
			SupportedCurves:  []tls.CurveID{tls.CurveP256},
			CipherSuites:     []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
		})
		if err == nil {
			a.note(domain, cert)
		}
		got <- err
	}()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *ACME) note(domain string, cert *tls.Certificate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expiries[domain] = cert.Leaf.NotAfter
}

// has reports whether the name's certificate comes from here.
func (a *ACME) has(name string) bool {
	return slices.ContainsFunc(a.opts.Domains, func(domain string) bool { return strings.EqualFold(domain, strings.TrimSuffix(name, ".")) })
}

// Expiries tells when each certificate that there is expires.
func (a *ACME) Expiries() []Expiry {
	a.mu.Lock()
	defer a.mu.Unlock()
	var expiries []Expiry
	for _, domain := range a.opts.Domains {
		if at, got := a.expiries[domain]; got {
			expiries = append(expiries, Expiry{domain, at})
		}
	}
	return expiries
}
