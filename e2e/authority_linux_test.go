package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// authority signs the certificates of the tests.
type authority struct {
	key    *ecdsa.PrivateKey
	cert   *x509.Certificate
	serial atomic.Int64
}

// makeAuthority has curl and Node, too, trust what the authority signs.
func makeAuthority() (err error) {
	a := &suite.authority
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of the tests"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		return err
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return err
	}
	file := filepath.Join(suite.scratch, "authority.pem")
	return errors.Join(
		os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644),
		os.Setenv("CURL_CA_BUNDLE", file),
		os.Setenv("NODE_EXTRA_CA_CERTS", file),
	)
}

// trusting is how a client in Go trusts the authority.
func trusting() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(suite.authority.cert)
	return &tls.Config{RootCAs: pool}
}

// certificate is a certificate on the disk, with its key.
type certificate struct{ cert, key string }

// issue writes a certificate for the names, beside localhost's address, and
// returns its serial number.
func (c certificate) issue(t testing.TB, names ...string) (serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &suite.authority
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1 + a.serial.Add(1)), Subject: pkix.Name{CommonName: names[0]},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	c.write(t, c.key, "PRIVATE KEY", private)
	c.write(t, c.cert, "CERTIFICATE", der)
	return template.SerialNumber.Int64()
}

// write replaces the file as a careful program does: by renaming.
func (c certificate) write(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	data := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := errors.Join(os.WriteFile(path+".new", data, 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

func newCertificate(t testing.TB, names ...string) (c certificate, serial int64) {
	t.Helper()
	dir := folder(t)
	c = certificate{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	return c, c.issue(t, names...)
}

// startTLS is start of a server that speaks HTTPS.
func startTLS(t testing.TB, flags ...string) *server {
	t.Helper()
	c, _ := newCertificate(t, "localhost")
	return startWith(t, c, flags...)
}

// startWith is startTLS with a certificate of the test's.
func startWith(t testing.TB, c certificate, flags ...string) *server {
	t.Helper()
	s := start(t, append([]string{"--tls-cert", c.cert, "--tls-key", c.key}, flags...)...)
	s.secure = true
	return s
}
