package loadtest

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// Trust says which servers are believed over https. The zero value believes those
// that the system does.
type Trust struct {
	// CAFile is a file of certificates, in PEM, that are believed in place of the
	// system's.
	CAFile string `json:"ca_file,omitempty"`
	// Insecure believes everybody.
	Insecure bool `json:"insecure,omitempty"`
}

// config fails unless the file can be read and holds a certificate.
func (t Trust) config() (*tls.Config, error) {
	config := &tls.Config{InsecureSkipVerify: t.Insecure, NextProtos: []string{"http/1.1"}}
	if t.CAFile == "" {
		return config, nil
	}
	pem, err := os.ReadFile(t.CAFile)
	if err != nil {
		return nil, fmt.Errorf("ca-file: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca-file: %s has no certificate in PEM", t.CAFile)
	}
	return config, nil
}
