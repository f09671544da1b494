package auth

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// failBurst credentials that don't hold may come at once from a client, and
	// one more each failEvery.
	failBurst = 20
	failEvery = 3 * time.Second
	// maxClients bounds the clients that are remembered.
	maxClients = 10000
	// Whoever has an IPv6 address has all of its /64.
	clientBits6 = 64
)

// attempts bounds how often a client may fail. Those who never do are not
// remembered.
type attempts struct {
	mu      sync.Mutex
	clients map[netip.Prefix]*rate.Limiter
}

func newAttempts() *attempts { return &attempts{clients: make(map[netip.Prefix]*rate.Limiter)} }

// wait is how long the client has to wait for its next attempt; 0 is not at all.
func (a *attempts) wait(client netip.Addr, now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	limiter, found := a.clients[clientKey(client)]
	if !found {
		return 0
	}
	if tokens := limiter.TokensAt(now); tokens < 1 {
		return time.Duration((1 - tokens) * float64(failEvery))
	}
	return 0
}

// fail notes that an attempt has failed.
func (a *attempts) fail(client netip.Addr, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := clientKey(client)
	limiter, found := a.clients[key]
	if !found {
		a.makeRoom(now)
		limiter = rate.NewLimiter(rate.Every(failEvery), failBurst)
		a.clients[key] = limiter
	}
	limiter.AllowN(now, 1)
}

// makeRoom forgets clients whose failures are long ago and, where that isn't
// enough, any.
func (a *attempts) makeRoom(now time.Time) {
	if len(a.clients) < maxClients {
		return
	}
	for key, limiter := range a.clients {
		if limiter.TokensAt(now) >= failBurst {
			delete(a.clients, key)
		}
	}
	for key := range a.clients {
		if len(a.clients) < maxClients {
			return
		}
		delete(a.clients, key)
	}
}

func clientKey(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = clientBits6
	}
	key, _ := addr.Prefix(bits) // the zero Prefix for no address
	return key
}
