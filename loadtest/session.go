package loadtest

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"time"

	"sluice/loadtest/pace"
)

// session carries the requests of one transfer after the other over one
// connection, or several if the server closes it between two requests. A request
// is written at most once: what fails is reported, never sent again.
type session struct {
	ctx       context.Context
	timeout   time.Duration
	tls       *tls.Config // of https
	closing   bool        // each request has a connection of its own
	bandwidth *pace.Bandwidth

	conn   *conn
	host   string
	unhook func() bool // forgets the closing of conn when ctx ends
	parts  []*session  // for what moves at the same time
}

// connect makes the connection to the host of u, unless it is there and the
// server has left it open. It takes down in t how long that took.
func (s *session) connect(u *url.URL, t *tally) error {
	if s.conn != nil && s.host == u.Host && !s.conn.stale() {
		return nil
	}
	s.close()
	r := route{address: addressOf(u), timeout: s.timeout, closing: s.closing, bandwidth: s.bandwidth}
	if u.Scheme == "https" {
		r.tls = s.tls.Clone()
		r.tls.ServerName = u.Hostname()
	}
	began := time.Now()
	conn, err := dial(s.ctx, r)
	t.connect += time.Since(began)
	if err != nil {
		return err
	}
	s.conn, s.host = conn, u.Host
	s.unhook = context.AfterFunc(s.ctx, conn.close)
	return nil
}

// addressOf is where the server of u listens.
func addressOf(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// part returns the session for the ith part of a transfer, of which the 0th is s
// itself. They share the bandwidth, and are closed with s.
func (s *session) part(i int) *session {
	for len(s.parts) < i {
		s.parts = append(s.parts, &session{ctx: s.ctx, timeout: s.timeout, tls: s.tls, closing: s.closing, bandwidth: s.bandwidth})
	}
	if i == 0 {
		return s
	}
	return s.parts[i-1]
}

func (s *session) close() {
	for _, part := range s.parts {
		part.close()
	}
	if s.conn == nil {
		return
	}
	s.unhook()
	s.conn.close()
	s.conn = nil
}

// exchange sends r and returns the final answer, whatever its status. While the
// body is on its way the answer is listened for, so that an early refusal is
// seen as what it is.
func (s *session) exchange(r *request, t *tally) (*answer, error) {
	if err := s.connect(r.url, t); err != nil {
		return nil, err
	}
	answer, err := s.conn.exchange(r, t)
	if err != nil || answer.last || s.closing {
		s.close()
	}
	return answer, err
}

// fetch sends r, which has no body, and returns the answer up to its body,
// which is still to be read. Where the connection can't take another request, it
// is to be closed after that.
func (s *session) fetch(r *request, t *tally) (*http.Response, error) {
	if err := s.connect(r.url, t); err != nil {
		return nil, err
	}
	response, err := s.conn.fetch(r, t)
	if err != nil {
		s.close()
	}
	return response, err
}
