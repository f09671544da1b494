package loadtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Checked says what the content of a transfer was held against.
type Checked string

// What can be checked, from the weakest to the strongest.
const (
	// CheckedNot: the server's word alone.
	CheckedNot Checked = ""
	// CheckedSame: a file of unknown content, the same as at its first download.
	CheckedSame Checked = "same"
	// CheckedDigest: the CRC-64/NVME that the server states.
	CheckedDigest Checked = "digest"
	// CheckedContent: every byte.
	CheckedContent Checked = "content"
)

// Transfer is the raw row of one transfer.
type Transfer struct {
	Pair    int     `json:"pair,omitzero"` // of a comparison, 0 is the warm-up
	Repeat  int     `json:"repeat"`        // from 1
	Stream  int     `json:"stream"`        // from 0
	URL     string  `json:"url"`
	Seconds float64 `json:"seconds"`         // from its first byte to the last one of the answer
	Bytes   int64   `json:"bytes"`           // of the file that moved, without framing
	Status  int     `json:"status,omitzero"` // of the last answer
	Checked Checked `json:"checked,omitzero"`
	Error   *Error  `json:"error,omitempty"`
}

// Repeat is the raw row of one repeat: all streams, from one start signal to the
// last answer.
type Repeat struct {
	Pair             int     `json:"pair,omitzero"` // of a comparison, 0 is the warm-up
	Repeat           int     `json:"repeat"`        // from 1
	Seconds          float64 `json:"seconds"`
	Bytes            int64   `json:"bytes"`              // of the transfers that succeeded
	ServerCPUSeconds float64 `json:"server_cpu_seconds"` // 0 without PIDs
	TesterCPUSeconds float64 `json:"tester_cpu_seconds"`
	ServerPeakRSS    int64   `json:"server_peak_rss_bytes"` // since the server started; 0 without PIDs
	Failed           int     `json:"failed"`                // transfers
}

// MarshalJSON adds the rates, which follow from the row, to its fields.
func (r Repeat) MarshalJSON() ([]byte, error) {
	type row Repeat
	return json.Marshal(struct {
		row
		MBPerSecond    float64 `json:"mb_per_second"`
		ServerCPUPerGB float64 `json:"server_cpu_seconds_per_gb"`
		TesterCPUPerGB float64 `json:"tester_cpu_seconds_per_gb"`
	}{row(r), r.MBPerSecond(), r.ServerCPUPerGB(), r.TesterCPUPerGB()})
}

// MBPerSecond returns the rate in decimal megabytes per second.
func (r Repeat) MBPerSecond() float64 { return ratio(float64(r.Bytes)/1e6, r.Seconds) }

// ServerCPUPerGB returns the server's processor seconds per 1e9 bytes.
func (r Repeat) ServerCPUPerGB() float64 { return ratio(r.ServerCPUSeconds, float64(r.Bytes)/1e9) }

// TesterCPUPerGB returns the tester's own processor seconds per 1e9 bytes.
func (r Repeat) TesterCPUPerGB() float64 { return ratio(r.TesterCPUSeconds, float64(r.Bytes)/1e9) }

// Run is what the work on one server left: its raw rows, in the order of time.
type Run struct {
	Plan      Plan        `json:"plan"`
	Repeats   []Repeat    `json:"repeats"`
	Transfers []*Transfer `json:"transfers"`
	// Leftover says which files could not be removed, and why.
	Leftover []*Error `json:"leftover,omitempty"`
}

// Failures returns the number of failed transfers of each kind. Files that
// could not be removed count as "cleanup".
func (r *Run) Failures() map[string]int {
	counts := map[string]int{}
	for _, t := range r.Transfers {
		if t.Error != nil {
			counts[string(t.Error.Kind)]++
		}
	}
	if len(r.Leftover) > 0 {
		counts["cleanup"] = len(r.Leftover)
	}
	return counts
}

// Err returns nil if all transfers succeeded and their files were removed, and
// an error that wraps [ErrFailed] if not.
func (r *Run) Err() error {
	succeeded := 0
	for _, t := range r.Transfers {
		if t.Error == nil {
			succeeded++
		}
	}
	counts := r.Failures()
	switch {
	case succeeded == 0 && len(counts) == 0:
		return ErrNothing
	case succeeded == 0:
		return fmt.Errorf("%w (%s)", ErrNothing, describe(counts))
	case len(counts) > 0:
		return fmt.Errorf("%w: %s in %d transfers", ErrFailed, describe(counts), len(r.Transfers))
	}
	return nil
}

// describe writes counts as "2 refused, 1 timeout".
func describe(counts map[string]int) string {
	var words []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%d %s", counts[kind], kind))
	}
	return strings.Join(words, ", ")
}

// ratio is a/b, or 0 where b is 0 and there is no ratio.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
