package record

import "sync/atomic"

// Meter counts what happens while transfers run, for all who look on: progress,
// rows per second, metrics. It is safe for concurrent use. The zero value has
// counted nothing.
type Meter struct {
	Up, Down atomic.Int64 // bytes of files
	Started  atomic.Int64 // transfers
	Finished atomic.Int64 // transfers, also those that failed
	Failed   atomic.Int64 // transfers
}

// Moved returns the bytes of both directions.
func (m *Meter) Moved() int64 { return m.Up.Load() + m.Down.Load() }

// Bytes returns the counter of the bytes of one direction.
func (m *Meter) Bytes(d Direction) *atomic.Int64 {
	if d == Down {
		return &m.Down
	}
	return &m.Up
}

// Snapshot is the counts at a moment.
type Snapshot struct {
	Up, Down                  int64
	Started, Finished, Failed int64
}

// Snapshot returns the counts so far. Those of transfers that end meanwhile may
// be in some and not yet in others.
func (m *Meter) Snapshot() Snapshot {
	// Finished before Started, so that never more have ended than begun.
	s := Snapshot{Failed: m.Failed.Load(), Finished: m.Finished.Load()}
	s.Started = m.Started.Load()
	s.Up, s.Down = m.Up.Load(), m.Down.Load()
	return s
}

// Since returns the row of what happened between before and s.
func (s Snapshot) Since(before Snapshot) *Second {
	return &Second{
		Up: s.Up - before.Up, Down: s.Down - before.Down,
		InFlight: s.Started - s.Finished,
		Started:  s.Started - before.Started, Finished: s.Finished - before.Finished, Failed: s.Failed - before.Failed,
	}
}
