package handlers

import (
	"sync"

	"golang.org/x/time/rate"
)

// shares are the rates of callers who have a bound of their own, one for all
// transfers of each. They are kept while there are any.
type shares struct {
	mu     sync.Mutex
	byName map[string]*share
}

type share struct {
	limiter *rate.Limiter
	users   int
}

func newShares() *shares { return &shares{byName: make(map[string]*share)} }

// join returns the limiter of all transfers of name, until leave; nil for a
// bound of 0.
func (s *shares) join(name string, bytesPerSecond int64) *rate.Limiter {
	if bytesPerSecond == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.byName[name]
	if own == nil {
		own = &share{limiter: limiter(bytesPerSecond)}
		s.byName[name] = own
	}
	own.users++
	return own.limiter
}

func (s *shares) leave(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own := s.byName[name]; own != nil {
		if own.users--; own.users == 0 {
			delete(s.byName, name)
		}
	}
}
