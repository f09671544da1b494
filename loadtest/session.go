package loadtest

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"time"
)

// session carries the requests of one transfer, one after the other, over one
// connection, or several if the server closes it between two requests. A request
// is written at most once: what fails is reported, never sent again.
type session struct {
	ctx     context.Context
	timeout time.Duration

	conn   *conn
	host   string
	unhook func() bool // forgets the closing of conn when ctx ends
}

// connect makes the connection to the host of u, unless it is there.
func (s *session) connect(u *url.URL) error {
	if s.conn != nil && s.host == u.Host {
		return nil
	}
	s.close()
	port := u.Port()
	if port == "" {
		port = "80"
	}
	conn, err := dial(s.ctx, net.JoinHostPort(u.Hostname(), port), s.timeout)
	if err != nil {
		return err
	}
	s.conn, s.host = conn, u.Host
	s.unhook = context.AfterFunc(s.ctx, conn.close)
	return nil
}

func (s *session) close() {
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
	if err := s.connect(r.url); err != nil {
		return nil, err
	}
	answer, err := s.conn.exchange(r, t)
	if err != nil || answer.last {
		s.close()
	}
	return answer, err
}

// fetch sends r, which has no body, and returns the answer up to its body,
// which is still to be read.
func (s *session) fetch(r *request) (*http.Response, error) {
	if err := s.connect(r.url); err != nil {
		return nil, err
	}
	return s.conn.fetch(r)
}
