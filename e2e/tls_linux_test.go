package e2e_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every way in and out works over TLS as it does without.
func TestTLSWaysInAndOut(t *testing.T) {
	t.Parallel()
	const size = 9*mib + 12345
	path := content(t, size)
	for _, send := range []string{"auto", "direct", "sendfile"} {
		t.Run(send, func(t *testing.T) {
			t.Parallel()
			s := startTLS(t, "--send", send, "--absolute-urls")
			put := curl(t, "-T", path, s.fileURL("put")).want(t, 201)
			curl(t, "-H", chunked, "-T", path, s.fileURL("chunked")).want(t, 201)
			curl(t, "-F", "file=@"+path+";filename=form", s.url("/files/")).want(t, 200)
			if _, err := tusUpload(t, s.url("/tus/"), path, "tus", "--chunk-size", fmt.Sprint(4*mib)); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"put", "chunked", "form", "tus"} {
				sameFile(t, s.file(name), path)
				for range 3 { // after which the page cache may have it
					if err := download(s.fileURL(name), path); err != nil {
						t.Error(err)
					}
				}
			}
			if err := downloadRange(s.fileURL("put"), path, 3*mib+1, 5*mib+7); err != nil {
				t.Error(err)
			}
			if got := put.header.Get("Location"); got != s.fileURL("put") {
				t.Errorf("Location is %q, want %q", got, s.fileURL("put"))
			}
			if got := put.header.Get("Strict-Transport-Security"); got != "max-age=15552000" {
				t.Errorf("Strict-Transport-Security is %q", got)
			}
			upload := s.client()
			if location, err := upload.create("absolute", 1); err != nil || !strings.HasPrefix(location, s.url("/tus/")) {
				t.Errorf("tus upload at %q, %v", location, err)
			}
		})
	}
}

// An early refusal reaches clients that are still sending, through TLS too.
func TestTLSRefusalArrives(t *testing.T) {
	t.Parallel()
	const times, size = 5, 50_000_000
	path := content(t, size)
	s := startTLS(t, "--max-upload-size", "1MiB")
	for range times {
		for _, args := range [][]string{
			{"-T", path, s.fileURL("over.bin")},
			{"-H", chunked, "-T", path, s.fileURL("over.bin")},
			{"-F", "file=@" + path + ";filename=over.bin", s.url("/files/")},
		} {
			a := curl(t, append([]string{"-H", "Expect:"}, args...)...).want(t, 413)
			if a.header.Get("Strict-Transport-Security") == "" {
				t.Error("the refusal has no Strict-Transport-Security")
			}
		}
		a, err := s.client().do("PUT", "/files/over.bin", io.LimitReader(endless{}, size), size)
		if err != nil || a.status != 413 {
			t.Errorf("Go's client got status %d, %v", a.status, err)
		}
	}
	s.missing("over.bin")
	eventually(t, "the server is at rest", s.atRest)
}

// Who speaks plain HTTP to a port of HTTPS is told so, also when there is more
// to come.
func TestPlainHTTPToTLS(t *testing.T) {
	t.Parallel()
	s := startTLS(t)
	for _, request := range []string{
		requestHead("GET", "/"),
		requestHead("PUT", "/files/x", length(mib)) + strings.Repeat("x", mib),
	} {
		p := dial(t, s)
		_ = p.try(request) // the server may have answered already
		a, err := parseAnswer(p.rest().raw)
		if err != nil {
			t.Fatal(err)
		}
		var problem struct{ Detail string }
		if a.want(t, 400).decode(t, &problem); !strings.Contains(problem.Detail, "HTTPS") {
			t.Errorf("the answer is %s", a.body)
		}
	}
	curl(t, s.url("/files/")).want(t, 200)
}

// Clients that never finish a handshake, or never ask anything after it, are let
// go, and nothing stays behind.
func TestTLSSilence(t *testing.T) {
	t.Parallel()
	const each, slack = 20, 10
	s := startTLS(t, "--header-timeout", "2s")
	curl(t, s.url("/files/")).want(t, 200)
	before := s.descriptors()
	hello := clientHello()
	var peers []*peer
	for range each {
		finished := tls.Client(dial(t, s).conn, &tls.Config{InsecureSkipVerify: true})
		if err := finished.Handshake(); err != nil {
			t.Fatal(err)
		}
		half := dial(t, s).send(hello[:len(hello)/2])
		peers = append(peers, dial(t, s), half, dial(t, s).send(hello), &peer{t, finished.NetConn().(*net.TCPConn)})
	}
	curl(t, s.url("/files/")).want(t, 200)
	for _, p := range peers {
		p.rest() // fails unless the server closes
	}
	eventually(t, "the descriptors are closed", func() bool { return s.descriptors() <= before+slack })
	if got := s.scrape().sum("sluice_tls_handshake_failures_total"); got != 3*each {
		t.Errorf("%v failed handshakes counted, want %d", got, 3*each)
	}
}

// clientHello is how a client begins.
func clientHello() string {
	var sent bytes.Buffer
	client, server := net.Pipe()
	_ = server.Close()
	_ = tls.Client(recorder{client, &sent}, &tls.Config{ServerName: "localhost"}).Handshake()
	return sent.String()
}

// recorder is a connection that nothing comes back on.
type recorder struct {
	net.Conn
	sent *bytes.Buffer
}

func (r recorder) Write(p []byte) (int, error) { return r.sent.Write(p) }

func (r recorder) Read([]byte) (int, error) { return 0, io.EOF }

// Several certificates are told apart by the name that the client asks for.
func TestTLSNames(t *testing.T) {
	t.Parallel()
	first, one := newCertificate(t, "localhost", "one.example")
	second, two := newCertificate(t, "two.example", "*.two.example")
	s := start(t, "--tls-cert", first.cert+","+second.cert, "--tls-key", first.key+","+second.key)
	for name, want := range map[string]int64{
		"localhost": one, "one.example": one, "two.example": two, "a.two.example": two, "three.example": one, "": one,
	} {
		if got := s.serial(name); got != want {
			t.Errorf("%q gets certificate %d, want %d", name, got, want)
		}
	}
}

// serial is the serial number of the certificate that a new connection gets.
func (s *server) serial(name string) int64 {
	s.t.Helper()
	conn, err := tls.Dial("tcp", s.addr, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// Certificates are replaced while transfers run, and none of them notices. A bad
// one changes nothing.
func TestTLSReloadUnderLoad(t *testing.T) {
	t.Parallel()
	const size, rotations = 3*mib + 5, 3
	c, serial := newCertificate(t, "localhost")
	s := startWith(t, c)
	data := read(t, content(t, size))
	before := s.descriptors()

	stop := make(chan struct{})
	failed := make(chan error, 4)
	for n, keep := range []bool{true, true, false, false} {
		go func() { failed <- s.moveUntil(stop, fmt.Sprintf("file-%d", n), data, keep) }()
	}
	for range rotations {
		serial = c.issue(t, "localhost")
		eventually(t, "new connections get the new certificate", func() bool { return s.serial("localhost") == serial })
	}
	if err := os.WriteFile(c.key, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the bad pair is told", func() bool { return strings.Contains(s.log.String(), "certificates not reloaded") })
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the reload is refused", func() bool { return strings.Contains(s.log.String(), "settings not reloaded") })
	if got := s.serial("localhost"); got != serial {
		t.Errorf("with a bad key on the disk new connections get certificate %d, want %d", got, serial)
	}
	close(stop)
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	eventually(t, "the server is at rest", s.atRest)
	eventually(t, "the descriptors are closed", func() bool { return s.descriptors() <= before+2 })
}

// moveUntil sends a file to and fro, on one connection or on one for each.
func (s *server) moveUntil(stop <-chan struct{}, name string, data []byte, keep bool) error {
	transport := &http.Transport{DisableKeepAlives: !keep, TLSClientConfig: trusting()}
	defer transport.CloseIdleConnections()
	c := &client{s.url(""), http.Client{Transport: transport}}
	for moved := 0; ; moved++ {
		select {
		case <-stop:
			if moved == 0 {
				return errors.New("nothing was moved")
			}
			return nil
		default:
		}
		if _, err := c.must("PUT", "/files/"+name, bytes.NewReader(data), int64(len(data))); err != nil {
			return err
		}
		a, err := c.must("GET", "/files/"+name, nil, 0)
		if err != nil {
			return err
		}
		if !bytes.Equal(a.body, data) {
			return fmt.Errorf("%s: %d bytes came back that are others", name, len(a.body))
		}
	}
}

// Old versions, weak suites and protocols that nobody here speaks are refused.
func TestTLSVersionsAndSuites(t *testing.T) {
	t.Parallel()
	s := startTLS(t)
	try := func(config *tls.Config) error {
		config.InsecureSkipVerify = true
		conn, err := tls.Dial("tcp", s.addr, config)
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	for _, version := range []uint16{tls.VersionTLS10, tls.VersionTLS11} {
		if try(&tls.Config{MinVersion: version, MaxVersion: version}) == nil {
			t.Errorf("%s is taken", tls.VersionName(version))
		}
	}
	var taken []string
	for _, suite := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
		err := try(&tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite.ID}})
		if err == nil && slices.Contains(suite.SupportedVersions, tls.VersionTLS12) && len(suite.SupportedVersions) == 1 {
			taken = append(taken, suite.Name)
		} else if err == nil {
			t.Errorf("%s is taken", suite.Name)
		}
	}
	for _, name := range taken {
		if !strings.HasPrefix(name, "TLS_ECDHE_ECDSA_") || !strings.Contains(name, "GCM") && !strings.Contains(name, "CHACHA20") {
			t.Errorf("%s is taken", name)
		}
	}
	if len(taken) != 3 {
		t.Errorf("of TLS 1.2's suites %q are taken, want three", taken)
	}
	if try(&tls.Config{NextProtos: []string{"h2"}}) == nil {
		t.Error("HTTP/2 alone is taken")
	}
	if err := try(&tls.Config{NextProtos: []string{"h2", "http/1.1"}}); err != nil {
		t.Error(err)
	}
}

// Debian's scanners find nothing weak.
func TestTLSScanned(t *testing.T) {
	t.Parallel()
	s := startTLS(t)
	out, err := toolCommand(t, "sslscan", "--no-colour", "--sni-name=localhost", s.addr).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	report := string(out)
	for _, line := range []string{
		"SSLv2     disabled", "SSLv3     disabled", "TLSv1.0   disabled", "TLSv1.1   disabled", "TLSv1.2   enabled", "TLSv1.3   enabled",
		"TLSv1.3 not vulnerable to heartbleed", "TLSv1.2 not vulnerable to heartbleed",
	} {
		if !strings.Contains(report, line) {
			t.Errorf("sslscan doesn't say %q", line)
		}
	}
	for _, weak := range []string{"CBC", "SHA ", "RC4", "3DES", "NULL", "TLSv1.1  ", "TLSv1.0  "} {
		for line := range strings.Lines(report) {
			if (strings.HasPrefix(line, "Accepted") || strings.HasPrefix(line, "Preferred")) && strings.Contains(line, weak) {
				t.Errorf("weak: %s", line)
			}
		}
	}
	if t.Failed() {
		t.Log(report)
	}
}

// testssl.sh takes minutes.
func TestTLSTestssl(t *testing.T) {
	if os.Getenv("TLS_FULL") == "" {
		t.Skip("TLS_FULL is not set: make soak runs it")
	}
	s := startTLS(t)
	report := filepath.Join(folder(t), "testssl.json")
	out, err := toolCommand(t, "testssl", "--quiet", "--color", "0", "--warnings", "off", "-oj", report, "-p", "-s", "-U", s.url("/")).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Logf("exit: %v", err) // the number of findings
	}
	var findings []struct{ ID, Severity, Finding string }
	if err := json.Unmarshal(read(t, report), &findings); err != nil {
		t.Fatal(err)
	}
	if len(findings) < 20 {
		t.Errorf("only %d findings", len(findings))
	}
	for _, f := range findings {
		if slices.Contains([]string{"MEDIUM", "HIGH", "CRITICAL"}, f.Severity) {
			t.Errorf("%s: %s (%s)", f.ID, f.Finding, f.Severity)
		}
	}
}

// A file that another program cuts short ends its download alone, though TLS
// itself reads the memory that is gone.
func TestTLSDownloadOfTruncatedFile(t *testing.T) {
	t.Parallel()
	const size, left = 64 * mib, mib
	path := content(t, size)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			t.Parallel()
			s := startTLS(t)
			for _, name := range []string{"cut", "whole"} {
				curl(t, "-T", path, s.fileURL(name)).want(t, 201)
			}
			for range 3 {
				if err := download(s.fileURL("cut"), path); err != nil {
					t.Fatal(err)
				}
			}
			conn := tls.Client(dial(t, s).conn, &tls.Config{InsecureSkipVerify: true, MaxVersion: version})
			if _, err := io.WriteString(conn, requestHead("GET", "/files/cut")); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(conn, make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(s.file("cut"), left); err != nil {
				t.Fatal(err)
			}
			n, _ := io.Copy(io.Discard, conn)
			if n >= size {
				t.Errorf("%d bytes came of a file that was cut short", n)
			}
			if err := download(s.fileURL("whole"), path); err != nil {
				t.Error(err)
			}
			eventually(t, "the server is at rest", s.atRest)
		})
	}
}

// Plain HTTP is led to HTTPS, where it is known by which name.
func TestHTTPRedirect(t *testing.T) {
	t.Parallel()
	s := startTLS(t, "--http-redirect-listen", "127.0.0.1:0")
	var line struct {
		Listen string `json:"http_redirect_listen"`
	}
	for text := range strings.Lines(s.log.String()) {
		_ = json.Unmarshal([]byte(text), &line)
	}
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	_, from, err := net.SplitHostPort(line.Listen)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{
		"localhost:" + from: "https://localhost:" + port + "/files/a%2Fb?c=d",
		"[::1]:" + from:     "https://[::1]:" + port + "/files/a%2Fb?c=d",
		"localhost":         "https://localhost/files/a%2Fb?c=d", // port 80 is mapped to ours, so 443 is too
	} {
		a := curl(t, "-H", "Host: "+host, "http://"+line.Listen+"/files/a%2Fb?c=d").want(t, 308)
		if got := a.header.Get("Location"); got != want {
			t.Errorf("%s is led to %q, want %q", host, got, want)
		}
	}
	curl(t, "-H", "Host: other.example", "http://"+line.Listen+"/").want(t, 421)
	path := content(t, mib)
	curl(t, "--location", "-T", path, "-H", "Host: localhost:"+from, "http://"+line.Listen+"/files/led") // two answers
	sameFile(t, s.file("led"), path)
}

// Whoever can be reached by strangers says so, or doesn't start.
func TestPublicAddressRefused(t *testing.T) {
	t.Parallel()
	for _, listen := range []string{"0.0.0.0:0", "[::]:0", ":0"} {
		cmd := exec.Command(suite.race, "serve", "--root", newRoot(t), "--listen", listen, "--admin-listen", "")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "--allow-anonymous-public") {
			t.Errorf("%s: %v\n%s", listen, err, out)
		}
	}
	start(t, "--listen", "0.0.0.0:0", "--allow-anonymous-public")
}

// A start with a bad certificate tells all that is wrong.
func TestTLSBadFiles(t *testing.T) {
	t.Parallel()
	good, _ := newCertificate(t, "localhost")
	other, _ := newCertificate(t, "localhost")
	cmd := exec.Command(suite.race, "serve", "--root", newRoot(t), "--listen", "127.0.0.1:0", "--admin-listen", "",
		"--tls-cert", good.cert+",/nowhere/cert.pem", "--tls-key", other.key+",/nowhere/key.pem")
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	for _, want := range []string{good.cert, "private key does not match", "/nowhere/cert.pem"} {
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: the server doesn't tell %q:\n%s", err, want, out)
		}
	}
}
