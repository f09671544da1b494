package transfer

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Spec describes a transfer at its beginning.
type Spec struct {
	Direction Direction
	Protocol  Protocol
	Name      string // path below the root, "" while unknown
	Client    string // remote address
	User      string // name of the identity, "" for whoever has shown none
	RequestID string
	Trace     string // the client's trace context (W3C traceparent) as it came, which may be anything
	Total     int64  // bytes expected, -1 while unknown
	// Stop makes the transfer end before its time. It may be called at any time,
	// also after the end, and returns at once. Nil does nothing.
	Stop func()
}

// Outcome says how a transfer ended.
type Outcome struct {
	Result Result // anything but the named results counts as ResultFailed
	Status int    // HTTP status of the answer, 0 where none could be sent
	Reason string // why it went wrong, as clients may know it
	Err    error  // the cause, for the log; it never leaves the server
	Stages Stages // where the time went
}

// Transfer is one running transfer. It is made by [Registry.Begin] and must be
// ended by [Transfer.End].
type Transfer struct {
	registry *Registry
	id       string
	seq      uint64 // place in the order of beginnings
	kind     int
	start    time.Time
	stop     func() // may be nil

	bytes atomic.Int64
	moved *atomic.Int64 // bytes of all transfers of this kind

	mu     sync.Mutex // guards what follows
	spec   Spec
	phase  Phase
	window window
	record *Record // nil while running
}

// ID returns the transfer's id: 16 hexadecimal digits, unique among all
// transfers that the registry knows.
func (t *Transfer) ID() string { return t.id }

// Bytes returns the number of bytes moved so far.
func (t *Transfer) Bytes() int64 { return t.bytes.Load() }

// Add counts n bytes that have just moved; n <= 0 counts nothing. It allocates
// nothing and takes a lock five times a second at most. Bytes that come after
// the end count in [Registry.Totals], for they did move, but not in the record.
func (t *Transfer) Add(n int) {
	if n <= 0 {
		return
	}
	total := t.bytes.Add(int64(n))
	t.moved.Add(int64(n))
	if slot := slotOf(t.age()); slot > t.window.newest.Load() {
		t.mu.Lock()
		t.window.advance(slot, total-int64(n))
		t.mu.Unlock()
	}
}

// SetName names a transfer whose name was not known at its beginning.
func (t *Transfer) SetName(name string) {
	name = strings.Clone(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spec.Name = name
}

// SetPhase tells what the transfer is at.
func (t *Transfer) SetPhase(p Phase) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.phase = p
}

// SetTotal sets the number of bytes expected, -1 for unknown.
func (t *Transfer) SetTotal(total int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spec.Total = max(total, -1)
}

// End ends the transfer and returns its record. The first call wins: later ones
// change nothing and return the same record. Before it returns, the first call
// has run [Options.OnEnd] and taken the transfer off the running ones.
func (t *Transfer) End(o Outcome) Record {
	record, first := t.close(o)
	if first {
		defer t.registry.release(t, record)
		t.registry.onEnd(record)
	}
	return record
}

// close fixes the record, and reports whether this call was the one to do so.
func (t *Transfer) close(o Outcome) (Record, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.record != nil {
		return *t.record, false
	}
	now := t.registry.now()
	t.phase = ""
	t.record = &Record{
		Snapshot: t.snapshotAt(now),
		Result:   o.Result.known(),
		Status:   o.Status,
		Reason:   o.Reason,
		Err:      o.Err,
		Stages:   o.Stages,
		End:      now,
	}
	return *t.record, true
}

// Stop asks the transfer to end, without waiting for it.
func (t *Transfer) Stop() {
	if t.stop != nil {
		t.stop()
	}
}

// Snapshot returns the state now, or the last one where the transfer has ended.
func (t *Transfer) Snapshot() Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.record != nil {
		return t.record.Snapshot
	}
	return t.snapshotAt(t.registry.now())
}

// snapshotAt returns the state at now. The caller holds the lock.
func (t *Transfer) snapshotAt(now time.Time) Snapshot {
	bytes, elapsed := t.bytes.Load(), max(0, now.Sub(t.start))
	return Snapshot{
		ID:        t.id,
		Direction: t.spec.Direction,
		Protocol:  t.spec.Protocol,
		Name:      t.spec.Name,
		Client:    t.spec.Client,
		User:      t.spec.User,
		RequestID: t.spec.RequestID,
		Trace:     t.spec.Trace,
		Phase:     t.phase,
		Bytes:     bytes,
		Total:     t.spec.Total,
		Start:     t.start,
		Elapsed:   elapsed,
		Rate:      t.window.rate(elapsed, bytes),
		MeanRate:  meanRate(bytes, elapsed),
	}
}

// age is the time since the transfer's beginning.
func (t *Transfer) age() time.Duration { return t.registry.now().Sub(t.start) }
