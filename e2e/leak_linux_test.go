package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// No goroutine outlives its tus request.
//
// https://github.com/valyala/fasthttp/issues/1350
// https://github.com/gofiber/fiber/pull/4404
func TestTusLeaksNoGoroutines(t *testing.T) {
	t.Parallel()
	const clients, rounds, slack = 4, 3, 20
	uploads := 200 // in each round, of five requests each
	if os.Getenv(tusFull) != "" {
		uploads = 2000
	}
	s := start(t)
	sendTusCurl(t, s, content(t, 1000), "warm-up")
	before := s.goroutines()
	for round := range rounds {
		together(t, clients, func(n int) error {
			c := s.client()
			for i := range uploads / clients {
				if err := c.exercise(fmt.Sprintf("%d-%d", n, i)); err != nil {
					return err
				}
			}
			c.http.CloseIdleConnections()
			return nil
		})
		eventually(t, "the goroutines end", func() bool { return s.goroutines() <= before+slack })
		t.Logf("round %d: %d goroutines before, %d after %d requests", round, before, s.goroutines(), 5*uploads)
	}
}

// exercise makes one of each of a tus upload's requests.
func (c *client) exercise(name string) error {
	if _, err := c.must("OPTIONS", "/tus/", nil, 0); err != nil {
		return err
	}
	path, err := c.create(name, 2)
	if err != nil {
		return err
	}
	if err := c.append(path, 0, bytes.NewReader([]byte("x")), 1); err != nil {
		return err
	}
	if offset, err := c.offset(path); err != nil || offset != 1 {
		return fmt.Errorf("offset %d, %w", offset, err)
	}
	_, err = c.must("DELETE", path, nil, 0, tusVersion)
	return err
}

// goroutines is how many the server has.
func (s *server) goroutines() int {
	s.t.Helper()
	return int(s.scrape().sum("go_goroutines"))
}
