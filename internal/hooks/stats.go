package hooks

import (
	"slices"
	"sync"
)

// Result is what became of an event, or of an attempt to deliver it.
type Result string

// The results.
const (
	Delivered Result = "delivered" // the receiver has it
	Gone      Result = "gone"      // the receiver wants it no more: 410
	Retried   Result = "retried"   // an attempt failed, another one follows
	Expired   Result = "expired"   // given up for its age, and set aside
	Damaged   Result = "damaged"   // its file can't be read, and was set aside
	Refused   Result = "refused"   // it could not be queued
)

// results are those of events that can be read.
var results = [...]Result{Delivered, Gone, Retried, Expired, Refused}

// Decision is what came of asking before an upload.
type Decision string

// The decisions.
const (
	Allowed    Decision = "allowed"
	Denied     Decision = "denied"
	Unanswered Decision = "unanswered" // no answer, or none that decides
)

var decisions = [...]Decision{Allowed, Denied, Unanswered}

// Decisions returns all that there are.
func Decisions() []Decision { return slices.Clone(decisions[:]) }

// Delivery is a type of event with a result.
type Delivery struct {
	Type   Type
	Result Result
}

// damaged is the delivery of an event of which nothing can be known.
var damaged = Delivery{"unknown", Damaged}

// Deliveries returns all that can occur.
func Deliveries() []Delivery {
	all := []Delivery{damaged}
	for _, t := range types {
		for _, r := range results {
			all = append(all, Delivery{t, r})
		}
	}
	return all
}

// Stats counts since the start.
type Stats struct {
	Deliveries map[Delivery]int64
	// Events and Bytes are those of the queue now.
	Events int
	Bytes  int64
}

// tally counts things of a kind.
type tally[K comparable] struct {
	mu     sync.Mutex
	counts map[K]int64
}

func (t *tally[K]) add(k K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = make(map[K]int64)
	}
	t.counts[k]++
}

func (t *tally[K]) copy() map[K]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := make(map[K]int64, len(t.counts))
	for k, n := range t.counts {
		counts[k] = n
	}
	return counts
}
