package handlers

import (
	"errors"
	"sync"
)

// errCrowded: as many transfers run as may. It passes.
var errCrowded = errors.New("too many transfers")

// crowd bounds the requests that move files at a time, in all and for each
// client.
type crowd struct {
	mu               sync.Mutex
	limit, perClient int // 0 for no bound
	running          int
	clients          map[string]int
}

func newCrowd() *crowd { return &crowd{clients: make(map[string]int)} }

// resize changes the bounds. Where more are there already, none is sent away.
func (c *crowd) resize(limit, perClient int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit, c.perClient = limit, perClient
}

// check fails where join would.
func (c *crowd) check(client string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.room(client)
}

// join takes a place for the client, until leave.
func (c *crowd) join(client string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.room(client); err != nil {
		return err
	}
	c.running++
	c.clients[client]++
	return nil
}

func (c *crowd) leave(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	if c.clients[client]--; c.clients[client] == 0 {
		delete(c.clients, client)
	}
}

func (c *crowd) room(client string) error {
	if c.limit > 0 && c.running >= c.limit || c.perClient > 0 && c.clients[client] >= c.perClient {
		return errCrowded
	}
	return nil
}
