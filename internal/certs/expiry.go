package certs

import (
	"crypto/x509"
	"time"
)

// Expiry is when a certificate ceases to be valid.
type Expiry struct {
	Name     string // the first name that the certificate is for
	NotAfter time.Time
}

// nameOf is what a certificate is known by.
func nameOf(leaf *x509.Certificate) string {
	switch {
	case len(leaf.DNSNames) > 0:
		return leaf.DNSNames[0]
	case len(leaf.IPAddresses) > 0:
		return leaf.IPAddresses[0].String()
	}
	return leaf.Subject.CommonName
}
