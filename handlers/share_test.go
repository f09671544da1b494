package handlers

import "testing"

// A caller's transfers share one bound, whatever their number and direction, and
// nothing is remembered of it once they have ended.
func TestShares(t *testing.T) {
	t.Parallel()
	s := newShares()
	if s.join("free", 0) != nil {
		t.Error("a bound of 0 bounds")
	}
	first, second, other := s.join("alice", 2000), s.join("alice", 2000), s.join("bob", 2000)
	if first == nil || first != second || first == other || first.Limit() != 2000 {
		t.Errorf("alice has %v and %v, bob %v", first, second, other)
	}
	var b bandwidth
	if most := b.forOne(first).most(1 << 20); most != 100 {
		t.Errorf("at most %d bytes in one step, want a twentieth of a second's", most)
	}
	s.leave("alice")
	if s.join("alice", 2000) != first {
		t.Error("the bound is another one while a transfer runs")
	}
	for _, name := range []string{"alice", "alice", "bob", "free"} {
		s.leave(name)
	}
	if len(s.byName) > 0 {
		t.Errorf("left are %v", s.byName)
	}
}
