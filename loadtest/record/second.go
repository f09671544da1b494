package record

// Second is the row of what happened in about a second of a repeat.
type Second struct {
	Origin
	Label  string `json:"label,omitempty"`
	Pair   int    `json:"pair,omitzero"`
	Repeat int    `json:"repeat"`
	Second int    `json:"second"` // from 0, counted from the start signal
	// End is when it ended, in seconds since the start signal, and Length how
	// long it really was: clocks on a busy machine tick late, and the last one is
	// cut short.
	End      float64 `json:"end"`
	Length   float64 `json:"length"`
	Up       int64   `json:"bytes_up"`
	Down     int64   `json:"bytes_down"`
	InFlight int64   `json:"in_flight"` // at its end
	Started  int64   `json:"started"`
	Finished int64   `json:"finished"` // also those that failed
	Failed   int64   `json:"failed"`
}

// Kind returns "second".
func (*Second) Kind() string { return "second" }

// Usage is the row of what the server's processes, and the tester, used at a
// moment of a repeat. 0 is unknown.
type Usage struct {
	Origin
	Label            string  `json:"label,omitempty"`
	Pair             int     `json:"pair,omitzero"`
	Repeat           int     `json:"repeat"`
	At               float64 `json:"at"`                 // seconds since the start signal
	ServerCPUSeconds float64 `json:"server_cpu_seconds"` // since the start signal
	ServerRSS        int64   `json:"server_rss_bytes"`
	TesterCPUSeconds float64 `json:"tester_cpu_seconds"` // since the start signal
	TesterRSS        int64   `json:"tester_rss_bytes"`
}

// Kind returns "usage".
func (*Usage) Kind() string { return "usage" }
