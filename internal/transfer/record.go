package transfer

import (
	"encoding/json"
	"time"
)

// Snapshot is the state of a transfer at one moment. As JSON its names are in
// snake case, times are RFC 3339 in UTC with milliseconds, Elapsed is in
// seconds, and an unknown total is left out.
type Snapshot struct {
	ID        string
	Direction Direction
	Protocol  Protocol
	Name      string
	Client    string
	User      string
	RequestID string
	Trace     string // W3C traceparent as the client sent it; no part of the JSON
	Phase     Phase  // empty once the transfer has ended
	Bytes     int64  // moved so far
	Total     int64  // expected, -1 while unknown
	Start     time.Time
	Elapsed   time.Duration
	Rate      float64 // bytes per second over the last 3 s, or since Start if that is less; finite, >= 0
	MeanRate  float64 // bytes per second since Start; finite, >= 0
}

// Record is a transfer that has ended, with its last state. Err is no part of
// the JSON: internal text stays inside.
type Record struct {
	Snapshot
	Result Result
	Status int    // HTTP status, 0 where no answer could be sent
	Reason string // why it went wrong, as clients may know it
	Err    error
	Stages Stages
	End    time.Time
}

// MarshalJSON implements [json.Marshaler].
func (s Snapshot) MarshalJSON() ([]byte, error) { return json.Marshal(s.wire()) }

// MarshalJSON implements [json.Marshaler].
func (r Record) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		snapshotJSON
		Result Result             `json:"result"`
		Status int                `json:"status,omitempty"`
		Reason string             `json:"reason,omitempty"`
		Stages map[string]float64 `json:"stage_seconds"`
		End    string             `json:"end"`
	}{r.wire(), r.Result, r.Status, r.Reason, r.Stages.seconds(), timestamp(r.End)})
}

type snapshotJSON struct {
	ID        string    `json:"id"`
	Direction Direction `json:"direction"`
	Protocol  Protocol  `json:"protocol"`
	Name      string    `json:"name"`
	Client    string    `json:"client"`
	User      string    `json:"user,omitempty"`
	RequestID string    `json:"request_id"`
	Phase     Phase     `json:"phase,omitempty"`
	Bytes     int64     `json:"bytes"`
	Total     *int64    `json:"total,omitempty"`
	Start     string    `json:"start"`
	Elapsed   float64   `json:"elapsed_seconds"`
	Rate      float64   `json:"bytes_per_second"`
	MeanRate  float64   `json:"mean_bytes_per_second"`
}

func (s Snapshot) wire() snapshotJSON {
	w := snapshotJSON{
		ID:        s.ID,
		Direction: s.Direction,
		Protocol:  s.Protocol,
		Name:      s.Name,
		Client:    s.Client,
		User:      s.User,
		RequestID: s.RequestID,
		Phase:     s.Phase,
		Bytes:     s.Bytes,
		Start:     timestamp(s.Start),
		Elapsed:   s.Elapsed.Seconds(),
		Rate:      s.Rate,
		MeanRate:  s.MeanRate,
	}
	if s.Total >= 0 {
		w.Total = &s.Total
	}
	return w
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
