package auth

import (
	"sync"
	"time"
)

const (
	// sessionLife is how long a session lasts at most.
	sessionLife = 12 * time.Hour
	// maxSessions bounds the sessions of all, maxOwnSessions those of one
	// identity; the oldest make way.
	maxSessions    = 10000
	maxOwnSessions = 100
)

// sessions are the logins of browsers, by the hashes of their cookies. They end
// with the process.
type sessions struct {
	mu   sync.Mutex
	list map[Hash]session
}

type session struct {
	identity Identity // as it was at the login
	expires  time.Time
}

func newSessions() *sessions { return &sessions{list: make(map[Hash]session)} }

// open begins a session, and returns its cookie and when it ends.
func (s *sessions) open(who Identity, now time.Time) (cookie string, expires time.Time) {
	expires = now.Add(sessionLife)
	if !who.Expires.IsZero() && who.Expires.Before(expires) {
		expires = who.Expires
	}
	cookie = randomText()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom(who.Name, now)
	s.list[hashOf(cookie)] = session{who, expires}
	return cookie, expires
}

// makeRoom drops what has expired and, where there are too many, what ends
// first.
func (s *sessions) makeRoom(name string, now time.Time) {
	var own int
	var oldest, oldestOwn Hash
	for key, held := range s.list {
		if !now.Before(held.expires) {
			delete(s.list, key)
			continue
		}
		if first, any := s.list[oldest]; !any || held.expires.Before(first.expires) {
			oldest = key
		}
		if held.identity.Name == name {
			own++
			if first, any := s.list[oldestOwn]; !any || held.expires.Before(first.expires) {
				oldestOwn = key
			}
		}
	}
	switch {
	case own >= maxOwnSessions:
		delete(s.list, oldestOwn)
	case len(s.list) >= maxSessions:
		delete(s.list, oldest)
	}
}

// of finds whose session a cookie is. One that isn't known may have been, before
// the process began.
func (s *sessions) of(cookie string, now time.Time) (Identity, error) {
	key := hashOf(cookie)
	s.mu.Lock()
	defer s.mu.Unlock()
	held, found := s.list[key]
	switch {
	case !found:
		return Identity{}, ErrExpired
	case !now.Before(held.expires):
		delete(s.list, key)
		return Identity{}, ErrExpired
	}
	return held.identity, nil
}

// close ends a session, if it is one.
func (s *sessions) close(cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.list, hashOf(cookie))
}
