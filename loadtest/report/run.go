package report

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sluice/loadtest/record"
)

// Errors that the Err methods wrap, so that a caller can map them to an exit
// code.
var (
	// ErrFailed says that at least one transfer or removal went wrong.
	ErrFailed = errors.New("load failed")
	// ErrNothing says that no transfer was completed at all.
	ErrNothing = fmt.Errorf("%w: nothing was transferred", ErrFailed)
)

// Run is the report of the work on one server.
type Run struct {
	header    *record.Header
	repeats   []*record.Repeat
	transfers []*record.Transfer
	leftovers []*record.Leftover
}

// NewRun returns the report of rows that come from one side.
func NewRun(rows *record.Run) *Run { return newSide(rows, "") }

// newSide returns the report of the rows that come from side.
func newSide(rows *record.Run, side string) *Run {
	r := &Run{header: &record.Header{}}
	for _, h := range rows.Headers {
		if h.Side == side {
			r.header = h
		}
	}
	for _, row := range rows.Repeats {
		if row.Side == side {
			r.repeats = append(r.repeats, row)
		}
	}
	for _, row := range rows.Transfers {
		if row.Side == side {
			r.transfers = append(r.transfers, row)
		}
	}
	for _, row := range rows.Leftovers {
		if row.Side == side {
			r.leftovers = append(r.leftovers, row)
		}
	}
	return r
}

// Failures returns the number of failed transfers of each kind. Files that
// could not be removed count as "cleanup".
func (r *Run) Failures() map[string]int {
	counts := map[string]int{}
	for _, t := range r.transfers {
		if t.Error != nil {
			counts[string(t.Error.Kind)]++
		}
	}
	if len(r.leftovers) > 0 {
		counts["cleanup"] = len(r.leftovers)
	}
	return counts
}

// Err returns nil if all transfers succeeded and their files were removed, and
// an error that wraps [ErrFailed] if not.
func (r *Run) Err() error {
	succeeded := 0
	for _, t := range r.transfers {
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
		return fmt.Errorf("%w: %s in %d transfers", ErrFailed, describe(counts), len(r.transfers))
	}
	return nil
}

// document is the form of a run in JSON: the raw rows, and what they come to.
type document struct {
	*record.Header
	Repeats   []repeat           `json:"repeats"`
	Transfers []*record.Transfer `json:"transfers"`
	Leftover  []*record.Leftover `json:"leftover,omitempty"`
	Failures  map[string]int     `json:"failures"`
	Summary   Summary            `json:"summary"`
}

// repeat is a row with the rates that follow from it.
type repeat struct {
	*record.Repeat
	MBPerSecond    float64 `json:"mb_per_second"`
	ServerCPUPerGB float64 `json:"server_cpu_seconds_per_gb"`
	TesterCPUPerGB float64 `json:"tester_cpu_seconds_per_gb"`
}

func newRepeat(r *record.Repeat) repeat {
	return repeat{r, r.MBPerSecond(), r.ServerCPUPerGB(), r.TesterCPUPerGB()}
}

func (r *Run) document() document {
	d := document{
		Header: r.header, Repeats: []repeat{}, Transfers: r.transfers, Leftover: r.leftovers,
		Failures: r.Failures(), Summary: r.Summary(),
	}
	for _, row := range r.repeats {
		d.Repeats = append(d.Repeats, newRepeat(row))
	}
	return d
}

// WriteJSON writes r as one JSON document: the raw rows and their summary.
func (r *Run) WriteJSON(w io.Writer) error { return writeJSON(w, r.document()) }

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
