package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificate is that of all servers that speak TLS, with its key.
type certificate struct{ Cert, Key string }

// makeCertificate makes it unless it is there.
func makeCertificate(scratch string) (*certificate, error) {
	c := &certificate{filepath.Join(scratch, "cert.pem"), filepath.Join(scratch, "key.pem")}
	if _, err := os.Stat(c.Key); err == nil {
		return c, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), NotAfter: time.Now().AddDate(0, 1, 0),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return c, errors.Join(
		os.WriteFile(c.Cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(c.Key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600),
	)
}

func startSluiceTLS(_ context.Context, opts options, root string) (*server, error) {
	pair, err := makeCertificate(opts.scratch)
	if err != nil {
		return nil, err
	}
	s, err := startSluice(sluiceCommand(opts, root, "--tls-cert", pair.Cert, "--tls-key", pair.Key))
	if err == nil {
		s.secure = true
	}
	return s, err
}
