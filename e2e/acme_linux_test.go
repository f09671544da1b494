package e2e_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"
)

// acmeName is what the tests get certificates for.
const acmeName = "files.example"

// Certificates come from an ACME server by each of its challenges, and are there
// after a restart without it.
func TestACME(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		challenge string
		overTLS   bool
	}{
		{"tls-alpn-01", true},
		{"http-01", false},
	} {
		t.Run(test.challenge, func(t *testing.T) {
			t.Parallel()
			addr, redirect := fixedAddr(t), fixedAddr(t)
			tlsPort, httpPort := portOf(t, addr), portOf(t, redirect)
			if !test.overTLS {
				tlsPort = portOf(t, fixedAddr(t))
			}
			ca := startPebble(t, tlsPort, httpPort)
			flags := []string{"--listen", addr, "--acme-domains", acmeName, "--acme-directory", ca.directory, "--acme-email", "tests@files.example"}
			if !test.overTLS {
				flags = append(flags, "--http-redirect-listen", redirect)
			}
			trustPebble := func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+os.Getenv("CURL_CA_BUNDLE")) }
			root := newRoot(t)
			first := launchWith(t, trustPebble, []string{suite.race}, root, flags...)
			eventually(t, "the certificate is there", func() bool { return first.shows(ca.roots) == nil })
			eventually(t, "its end is told", func() bool {
				return first.scrape().sum("sluice_tls_certificate_not_after_timestamp_seconds") > 0
			})
			first.terminate()
			first.wait()
			ca.stop()

			info, err := os.Stat(filepath.Join(root, ".sluice", "acme"))
			if err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("the folder of the keys: %v, %v", info, err)
			}
			second := launchWith(t, trustPebble, []string{suite.race}, root, flags...)
			if err := second.shows(ca.roots); err != nil {
				t.Errorf("after a restart: %v", err)
			}
		})
	}
}

// What an ACME server refuses is told in the log, and the server goes on.
func TestACMERefused(t *testing.T) {
	t.Parallel()
	s := start(t, "--acme-domains", acmeName, "--acme-directory", "http://"+fixedAddr(t)+"/dir")
	eventually(t, "the failure is told", func() bool { return strings.Contains(s.log.String(), "certificate not got") })
	curl(t, "http://"+s.admin+"/readyz").want(t, 200)
}

// shows tries a handshake by the name of the tests.
func (s *server) shows(roots *x509.CertPool) error {
	conn, err := tls.Dial("tcp", s.addr, &tls.Config{ServerName: acmeName, RootCAs: roots})
	if err != nil {
		return err
	}
	return conn.Close()
}

// pebble is an ACME server that answers for the certificates of a test.
type pebble struct {
	directory string
	roots     *x509.CertPool
	stop      func()
}

// buildPebble builds the version that go.mod names.
var buildPebble = sync.OnceValues(func() (string, error) {
	path := filepath.Join(suite.scratch, "pebble")
	out, err := exec.Command("go", "build", "-o", path, "github.com/letsencrypt/pebble/v2/cmd/pebble").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build pebble: %w\n%s", err, out)
	}
	return path, nil
})

// startPebble starts one that asks at the given ports of this machine whether a
// name is the client's.
func startPebble(t *testing.T, tlsPort, httpPort int) *pebble {
	t.Helper()
	binary, err := buildPebble()
	if err != nil {
		t.Fatal(err)
	}
	cert, _ := newCertificate(t, "localhost")
	listen, management := fixedAddr(t), fixedAddr(t)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": listen, "managementListenAddress": management,
		"certificate": cert.cert, "privateKey": cert.key, "tlsPort": tlsPort, "httpPort": httpPort,
		"retryAfter": map[string]int{"authz": 1, "order": 1},
		"profiles":   map[string]any{"default": map[string]any{"description": "ninety days", "validityPeriod": 90 * 24 * 3600}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-config", write(t, "pebble.json", config), "-dnsserver", everyNameIsHere(t))
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=10")
	output := new(lines)
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &pebble{directory: "https://" + listen + "/dir", roots: x509.NewCertPool()}
	p.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("pebble:\n%s", output)
		}
	})
	t.Cleanup(p.stop)
	eventually(t, "pebble answers", func() bool { return p.learnRoots("https://"+management+"/roots/0") == nil })
	return p
}

// learnRoots asks for the certificate that pebble signs with.
func (p *pebble) learnRoots(url string) error {
	transport := &http.Transport{TLSClientConfig: trusting(), DisableKeepAlives: true}
	response, err := (&http.Client{Transport: transport}).Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	pem, err := io.ReadAll(response.Body)
	if err == nil && !p.roots.AppendCertsFromPEM(pem) {
		err = fmt.Errorf("no certificate: %s", pem)
	}
	return err
}

// everyNameIsHere is the address of a name server, by TCP, for which every name is this
// machine's.
func everyNameIsHere(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{Listener: listener, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, question *dns.Msg) {
		answer := new(dns.Msg).SetReply(question)
		for _, q := range question.Question {
			if q.Qtype == dns.TypeA {
				answer.Answer = append(answer.Answer, &dns.A{
					Hdr: dns.RR_Header{Name: q.Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.IPv4(127, 0, 0, 1),
				})
			}
		}
		_ = w.WriteMsg(answer) // who asks asks again
	})}
	go func() { _ = server.ActivateAndServe() }() // it ends with the test
	t.Cleanup(func() { _ = server.Shutdown() })
	return listener.Addr().String()
}

func portOf(t testing.TB, addr string) int {
	t.Helper()
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return tcp.Port
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}
