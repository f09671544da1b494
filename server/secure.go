package server

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"sluice/internal/certs"
)

// secure makes connections speak TLS.
type secure struct {
	config *tls.Config
	// patience bounds a handshake, together with the request's head after it.
	patience time.Duration
	// failed is told of each handshake that came to nothing.
	failed func()
}

// newTLSConfig leaves versions, curves and keys of tickets to crypto/tls, which
// follows what is known of attacks with each release; so it does with the order
// of suites. Of TLS 1.2's suites those with CBC are left out: every client of the
// last ten years has better ones.
func newTLSConfig(source certs.Source) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		CipherSuites: []uint16{
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305,
		},
		GetCertificate: source.Get,
		NextProtos:     protocols(source),
	}
}

// protocols are what a connection may go on with. HTTP/2 is none: fasthttp
// doesn't speak it.
func protocols(source certs.Source) []string {
	if source.ACME != nil {
		return []string{"http/1.1", certs.ACMEProtocol}
	}
	return []string{"http/1.1"}
}

// server makes the server's end of a connection. Its handshake is made by the
// first Read or Write, in the goroutine that serves the connection.
func (s *secure) server(socket *net.TCPConn) *secureConn {
	records := &records{TCPConn: socket}
	return &secureConn{Conn: tls.Server(records, s.config), records: records}
}

// secureConn is TLS on a socket.
type secureConn struct {
	*tls.Conn
	records *records
	ready   bool       // the handshake is made
	writing sync.Mutex // held by Write: what it gathers is its own
}

// Read implements net.Conn. A client that goes without saying so is no special
// case: where requests end, HTTP tells.
func (c *secureConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// Write implements net.Conn.
func (c *secureConn) Write(p []byte) (n int, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.records.gather()
	// A file that is mapped and has been cut short makes Conn.Write panic.
	defer func() {
		unsent, flushErr := c.records.flush()
		if err == nil && flushErr != nil {
			n, err = max(0, n-unsent), flushErr
		}
	}()
	return c.Conn.Write(p)
}

// copyBlock is how much of a file is read at a time to be encrypted.
const copyBlock = 128 << 10

var copyBlocks = sync.Pool{New: func() any { return new([copyBlock]byte) }}

// ReadFrom implements io.ReaderFrom. The kernel can't encrypt, so it copies.
func (c *secureConn) ReadFrom(src io.Reader) (int64, error) {
	block := copyBlocks.Get().(*[copyBlock]byte)
	defer copyBlocks.Put(block)
	return io.CopyBuffer(struct{ io.Writer }{c}, struct{ io.Reader }{src}, block[:])
}

// handshake reports whether the handshake could be made. The deadline for
// reading is the one that the request's head has; writing gets one here.
func (c *conn) handshake() bool {
	s := c.listener.secure
	_ = c.socket.SetWriteDeadline(time.Now().Add(s.patience))
	err := c.tls.Handshake()
	var notTLS tls.RecordHeaderError
	switch {
	case err == nil:
		c.tls.ready = true
		_ = c.socket.SetWriteDeadline(time.Time{})
		return true
	case errors.As(err, &notTLS) && notTLS.Conn != nil && looksLikeHTTP(notTLS.RecordHeader):
		s.failed()
		_, _ = io.WriteString(c.socket, plainHTTP)
		c.linger.Store(true)
	case !errors.Is(err, io.EOF): // a client that has only looked whether the port is open
		s.failed()
	}
	return false
}

// looksLikeHTTP reports whether a connection begins with a method, or an
// attempt at one, rather than with a record of TLS.
func looksLikeHTTP(header [5]byte) bool {
	for _, b := range header {
		if b != ' ' && b != '/' && b != '*' && (b < 'A' || b > 'Z') && (b < 'a' || b > 'z') {
			return false
		}
	}
	return true
}

// plainHTTP is the whole answer to a request of plain HTTP.
const plainHTTP = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\n" +
	"Connection: close\r\nContent-Length: 124\r\n\r\n" +
	`{"type":"about:blank","title":"Bad Request","status":400,"detail":"This port speaks HTTPS. Use a URL that begins https://."}`

// maxGathered is how much is gathered before it is sent, in bytes.
const maxGathered = 128 << 10

var gatherBlocks = sync.Pool{New: func() any { return new([maxGathered]byte) }}

// records is a socket as crypto/tls sees it. That writes each record of up to 16
// KiB by itself; here those of one Write of the connection are gathered, which
// saves most of the system calls.
type records struct {
	*net.TCPConn
	mu    sync.Mutex
	block *[maxGathered]byte // nil while nothing is being gathered
	n     int
	// err ends all writing: a part of a record may have been sent.
	err error
}

func (r *records) gather() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.block = gatherBlocks.Get().(*[maxGathered]byte)
}

// flush sends what has been gathered and ends the gathering. On an error it
// tells how much was not sent.
func (r *records) flush() (unsent int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	unsent, err = r.send()
	gatherBlocks.Put(r.block)
	r.block = nil
	return unsent, err
}

// send sends what has been gathered.
func (r *records) send() (unsent int, err error) {
	if r.n == 0 || r.err != nil {
		return r.n, r.err
	}
	var n int
	n, r.err = r.TCPConn.Write(r.block[:r.n])
	unsent, r.n = r.n-n, 0
	return unsent, r.err
}

// Write implements net.Conn. One call never has more than a record.
func (r *records) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.block == nil || len(p) > len(r.block) {
		if _, err := r.send(); err != nil {
			return 0, err
		}
		return r.TCPConn.Write(p)
	}
	if r.n+len(p) > len(r.block) {
		if _, err := r.send(); err != nil {
			return 0, err
		}
	}
	r.n += copy(r.block[r.n:], p)
	return len(p), nil
}
