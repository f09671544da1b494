package local

import (
	"fmt"

	"sluice/storage"
)

// reservation is space that the uploads within it draw on as they grow. Unlike a
// declared length it stands in no file: the disk knows nothing of it.
type reservation struct {
	space *space
	left  int64 // bytes
}

// Reserve implements storage.Store.
func (s *Store) Reserve(size int64) (storage.Reservation, error) {
	r, err := s.space.reserve(max(size, 0))
	if err != nil {
		return nil, fmt.Errorf("reserve space: %w", err)
	}
	return r, nil
}

func (s *space) reserve(size int64) (*reservation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fits(size, size); err != nil {
		return nil, err
	}
	r := &reservation{space: s}
	r.add(size)
	return r, nil
}

// Release implements storage.Reservation.
func (r *reservation) Release() {
	r.space.mu.Lock()
	defer r.space.mu.Unlock()
	r.add(-r.left)
}

// draw takes up to n bytes out of the reservation, for an upload to book. A nil
// one has none. The caller holds the lock.
func (r *reservation) draw(n int64) int64 {
	if r == nil {
		return 0
	}
	n = min(n, r.left)
	r.add(-n)
	return n
}

// add changes what is left. The caller holds the lock.
func (r *reservation) add(n int64) {
	r.left += n
	r.space.used += n
	r.space.reserved += n
	r.space.loose += n
}

// claimWithin is claim for a new upload that may draw on a reservation.
func (s *space) claimWithin(within storage.Reservation, declared int64) (*claim, error) {
	r, ok := within.(*reservation)
	if !ok {
		return s.claim(declared, 0)
	}
	c := s.restore(storage.UnknownSize, 0)
	c.within = r
	return c, c.declare(declared)
}
