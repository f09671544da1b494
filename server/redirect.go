package server

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"
)

// redirect is the listener that leads plain HTTP to HTTPS. It is net/http: what
// comes here is small, and an ACME server's questions are answered by it.
type redirect struct {
	listener net.Listener
	server   *http.Server
}

const (
	redirectTimeout = 10 * time.Second
	redirectHead    = 8 << 10
)

// newRedirect leads to the listener at to. Around wraps its handler, unless it
// is nil.
func newRedirect(ln net.Listener, to net.Addr, hosts hosts, around func(http.Handler) http.Handler, logger *zap.Logger) *redirect {
	target := redirectTarget{from: portOf(ln.Addr()), to: portOf(to)}
	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "" || !hosts.any && !hosts.knows(r.Host) {
			http.Error(w, "This server doesn't go by that name.", http.StatusMisdirectedRequest)
			return
		}
		// A client that sends a body would send all of it before it looks.
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, "https://"+target.host(r.Host)+r.URL.RequestURI(), http.StatusPermanentRedirect)
	})
	if around != nil {
		handler = around(handler)
	}
	return &redirect{ln, &http.Server{
		Handler:        handler,
		ReadTimeout:    redirectTimeout,
		WriteTimeout:   redirectTimeout,
		MaxHeaderBytes: redirectHead,
		ErrorLog:       log.New(quietly{logger}, "", 0),
	}}
}

// quietly writes what net/http says of its clients to the log.
type quietly struct{ log *zap.Logger }

func (q quietly) Write(line []byte) (int, error) {
	q.log.Debug("redirect", zap.ByteString("message", line))
	return len(line), nil
}

func portOf(addr net.Addr) int {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.Port
	}
	return 0
}

// The ports that URLs leave out.
const (
	httpPort  = 80
	httpsPort = 443
)

// redirectTarget is where requests are led from one port to the other.
type redirectTarget struct{ from, to int }

// host is what stands in the URL in place of the request's host. A client that
// has asked for another port than the one that is listened on sees ports that
// something in between has mapped; then HTTPS is where it always is.
func (t redirectTarget) host(asked string) string {
	name, port, err := net.SplitHostPort(asked)
	if err != nil {
		name, port = strings.Trim(asked, "[]"), strconv.Itoa(httpPort)
	}
	if t.to != httpsPort && port == strconv.Itoa(t.from) {
		return net.JoinHostPort(name, strconv.Itoa(t.to))
	}
	if strings.Contains(name, ":") {
		return "[" + name + "]"
	}
	return name
}

func (r *redirect) serve() error {
	if err := ignoreClosed(r.server.Serve(r.listener)); err != nil {
		return fmt.Errorf("serve redirects: %w", err)
	}
	return nil
}

func (r *redirect) close() error { return closeSoon(r.server) }
