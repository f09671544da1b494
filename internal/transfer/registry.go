package transfer

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const defaultRecent = 100

// Options set up a [Registry]. The zero value is usable.
type Options struct {
	// OnEnd is called once for each transfer that ends, by the goroutine that
	// ends it and before the transfer leaves the running ones. Nil means no call.
	OnEnd func(Record)
	// Recent is how many ended transfers are remembered: 0 means 100, a
	// negative number none.
	Recent int
	// Now is the clock, for tests. Nil means time.Now.
	Now func() time.Time
}

// Registry knows every running transfer and counts all there ever were.
type Registry struct {
	now   func() time.Time
	onEnd func(Record)

	mu       sync.Mutex // guards what follows, but for the atomics in counters
	begun    uint64
	running  []*Transfer // by seq
	recent   ring
	counters [otherKind + 1]counters
	idle     chan struct{} // closed while nothing runs
}

// counters count the transfers of one kind.
type counters struct {
	bytes    atomic.Int64
	started  int64
	inFlight int64
	finished [len(results)]int64
}

// Counts is what has become of all transfers of one kind.
type Counts struct {
	Kind
	Started  int64            `json:"started"`
	InFlight int64            `json:"in_flight"`
	Bytes    int64            `json:"bytes"`    // moved, also by transfers that still run
	Finished map[Result]int64 `json:"finished"` // has every result; adds up to Started - InFlight
}

// New returns an empty registry.
func New(o Options) *Registry {
	r := &Registry{now: o.Now, onEnd: o.OnEnd, idle: make(chan struct{})}
	if r.now == nil {
		r.now = time.Now
	}
	if r.onEnd == nil {
		r.onEnd = func(Record) {}
	}
	if o.Recent == 0 {
		o.Recent = defaultRecent
	}
	r.recent.records = make([]Record, max(0, o.Recent))
	close(r.idle)
	return r
}

// Begin registers a transfer as running. It copies the strings of s, which may
// alias memory that the caller uses again. A pair of direction and protocol
// that is none of [Kinds] becomes "other", so that labels stay bounded.
func (r *Registry) Begin(s Spec) *Transfer {
	i := kindIndex(Kind{s.Direction, s.Protocol})
	s.Direction, s.Protocol = kindAt(i).Direction, kindAt(i).Protocol
	s.Name, s.Client, s.User, s.RequestID = strings.Clone(s.Name), strings.Clone(s.Client), strings.Clone(s.User), strings.Clone(s.RequestID)
	s.Trace = strings.Clone(s.Trace)
	s.Total = max(s.Total, -1)
	c := &r.counters[i]
	t := &Transfer{registry: r, id: newID(), kind: i, start: r.now(), moved: &c.bytes, spec: s, stop: s.Stop, phase: PhaseReceiving}
	if s.Direction == Download {
		t.phase = PhaseSending
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.running) == 0 {
		r.idle = make(chan struct{})
	}
	r.begun++
	t.seq = r.begun
	r.running = append(r.running, t)
	c.started++
	c.inFlight++
	return t
}

// release takes t off the running transfers and counts it under its result.
func (r *Registry) release(t *Transfer, record Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, found := slices.BinarySearchFunc(r.running, t.seq, compareSeq); found {
		r.running = slices.Delete(r.running, i, i+1)
	}
	c := &r.counters[t.kind]
	c.inFlight--
	c.finished[slices.Index(results[:], record.Result)]++
	r.recent.push(record)
	if len(r.running) == 0 {
		close(r.idle)
	}
}

// Find returns the running transfer with that id, nil if there is none.
func (r *Registry) Find(id string) *Transfer {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.running, func(t *Transfer) bool { return t.id == id })
	if i < 0 {
		return nil
	}
	return r.running[i]
}

// Running returns the running transfers, oldest first.
func (r *Registry) Running() []Snapshot {
	snapshots, _ := r.Oldest(-1)
	return snapshots
}

// Oldest returns the n oldest running transfers, oldest first, and how many
// more there are. A negative n means all of them.
func (r *Registry) Oldest(n int) (oldest []Snapshot, more int) {
	r.mu.Lock()
	running := len(r.running)
	if n < 0 || n > running {
		n = running
	}
	chosen := slices.Clone(r.running[:n])
	r.mu.Unlock()

	oldest = make([]Snapshot, n)
	for i, t := range chosen {
		oldest[i] = t.Snapshot()
	}
	return oldest, running - n
}

// Recent returns the transfers that ended last, newest first, as many as
// [Options.Recent] says.
func (r *Registry) Recent() []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recent.newestFirst()
}

// Totals returns the counts of all transfers since the registry was made, for
// each of [Kinds] in that order, then for "other" if there was any.
func (r *Registry) Totals() []Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	totals := make([]Counts, 0, len(r.counters))
	for i := range r.counters {
		c := &r.counters[i]
		if i == otherKind && c.started == 0 {
			continue
		}
		finished := make(map[Result]int64, len(results))
		for j, result := range results {
			finished[result] = c.finished[j]
		}
		totals = append(totals, Counts{kindAt(i), c.started, c.inFlight, c.bytes.Load(), finished})
	}
	return totals
}

// Idle returns a channel that is closed as soon as no transfer is running and
// every [Options.OnEnd] has returned. Transfers that begin later do not open it
// again: who waits for the end must first see to it that none begins.
func (r *Registry) Idle() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.idle
}

func compareSeq(t *Transfer, seq uint64) int { return cmp.Compare(t.seq, seq) }

func newID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails, by its documentation
	return hex.EncodeToString(b[:])
}
