package record

// Metrics is the row of what the server itself counted while the work was done.
type Metrics struct {
	Origin
	URL string `json:"url"`
	// Up and Down are the bytes of file content that it says it took and gave, if
	// Counts says that it counts them.
	Counts bool  `json:"counts"`
	Up     int64 `json:"bytes_up"`
	Down   int64 `json:"bytes_down"`
	// Changes is by how much each of its counters grew, those that didn't apart.
	Changes Changes `json:"changes,omitempty"`
}

// Changes is what was added to counters, by the name of the series.
type Changes map[string]float64

// Kind returns "metrics".
func (*Metrics) Kind() string { return "metrics" }
