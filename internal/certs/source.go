package certs

import (
	"crypto/tls"
	"slices"
)

// Source is all certificates that there are; one of the two may be nil.
type Source struct {
	Files *Files
	ACME  *ACME
}

// Get is for [tls.Config.GetCertificate]. A client that asks for no name, or for
// one that is nobody's, gets the first certificate: it will say itself what it
// holds of it.
func (s Source) Get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	switch {
	case s.ACME == nil:
		return s.Files.Get(hello, true)
	case slices.Contains(hello.SupportedProtos, ACMEProtocol):
		return s.ACME.manager.GetCertificate(hello)
	}
	ours := s.ACME.has(hello.ServerName)
	if s.Files != nil {
		if cert, err := s.Files.Get(hello, !ours); err == nil {
			return cert, nil
		}
	}
	if !ours {
		named := *hello
		named.ServerName = s.ACME.opts.Domains[0]
		hello = &named
	}
	return s.ACME.manager.GetCertificate(hello)
}

// Expiries tells when each certificate expires.
func (s Source) Expiries() []Expiry {
	var expiries []Expiry
	if s.Files != nil {
		expiries = s.Files.Expiries()
	}
	if s.ACME != nil {
		expiries = append(expiries, s.ACME.Expiries()...)
	}
	return expiries
}
