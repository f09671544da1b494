package e2e_test

import (
	"context"
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
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// proxyHost is the name that the examples of proxies give.
const proxyHost = "files.example"

// proxyKind is a proxy that can stand in front of the server, set up as its
// example says.
type proxyKind struct {
	name, example string
	// local lists what of the example is different here, in pairs: where it
	// listens for TLS and without, and that its certificate stands in dir.
	local func(dir, public, plain string) []string
	// command writes the text of the example where it belongs and returns what
	// is to be run.
	command func(t testing.TB, dir, text string) []string
}

// proxyKinds are all that there are examples of.
var proxyKinds = []proxyKind{nginx, caddy, haproxy}

// proxy is a running proxy.
type proxy struct {
	process
	dir   string
	addr  string   // where it speaks TLS
	plain string   // where it doesn't
	ca    string   // file of the certificate to trust
	curl  []string // what curl needs to be told to reach proxyHost through it
}

// behind runs a proxy in front of the server, set up as its example says but for
// changes, which are pairs of texts.
func (s *server) behind(kind proxyKind, changes ...string) *proxy {
	s.t.Helper()
	p := &proxy{dir: folder(s.t), addr: fixedAddr(s.t), plain: fixedAddr(s.t)}
	p.ca = certify(s.t, p.dir)
	p.curl = []string{"--cacert", p.ca, "--connect-to", "::" + p.addr}
	changes = slices.Concat(changes, []string{"127.0.0.1:8080", s.addr}, kind.local(p.dir, p.addr, p.plain))
	text := string(read(s.t, kind.example))
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			s.t.Fatalf("the example of %s lacks %q", kind.name, changes[i])
		}
		text = strings.ReplaceAll(text, changes[i], changes[i+1])
	}
	command := kind.command(s.t, p.dir, text)
	p.process = process{s.t, toolCommand(s.t, command[0], command[1:]...)}
	log := new(lines)
	p.cmd.Stderr = logWriter{log}
	p.cmd.Env = append(os.Environ(), "HOME="+p.dir)
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.cmd.Wait() // it is killed
	}()
	s.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-ended
		if s.t.Failed() {
			s.t.Logf("%s says:\n%s", kind.name, log)
		}
	})
	eventually(s.t, kind.name+" listens", func() bool {
		select {
		case <-ended:
			s.t.Fatalf("%s has ended:\n%s", kind.name, log)
		default:
		}
		conn, err := net.Dial("tcp", p.addr)
		return err == nil && conn.Close() == nil
	})
	return p
}

// fileURL is the address of a file behind the proxy.
func (p *proxy) fileURL(name string) string { return "https://" + proxyHost + "/files/" + name }

// client is Go's own, in HTTP/2 or HTTP/1.1, that reaches proxyHost.
func (p *proxy) client(http2 bool) *http.Client {
	p.t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(read(p.t, p.ca))
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool},
		ForceAttemptHTTP2: http2,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, p.addr)
		},
	}
	p.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// logWriter keeps what a process writes.
type logWriter struct{ *lines }

func (l logWriter) Write(text []byte) (int, error) {
	l.add(strings.TrimSuffix(string(text), "\n"))
	return len(text), nil
}

// certify makes a certificate of proxyHost and its key in dir, each in a file of
// its own and both in one, as HAProxy wants them, and returns the file to trust.
func certify(t testing.TB, dir string) (ca string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: proxyHost},
		DNSNames:              []string{proxyHost, "localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().AddDate(0, 3, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	secret := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	ca = filepath.Join(dir, "ca.pem")
	err = errors.Join(
		os.WriteFile(ca, public, 0o600),
		os.WriteFile(filepath.Join(dir, proxyHost+".key"), secret, 0o600),
		os.WriteFile(filepath.Join(dir, proxyHost+".pem"), slices.Concat(public, secret), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	return ca
}
