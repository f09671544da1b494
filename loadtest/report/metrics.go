package report

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dustin/go-humanize"

	"sluice/loadtest/record"
)

// addMetrics holds what the server counted against what the tester did. Where
// transfers failed the two may differ: bytes that were sent need not have arrived.
func (r *Run) addMetrics(row *record.Metrics) {
	r.metrics = row
	if !row.Counts || r.succeeded < r.transfers {
		return
	}
	for _, direction := range []record.Direction{record.Up, record.Down} {
		moved := r.moved[direction]
		if server := serverCount(row, direction); moved > 0 && server != moved {
			r.fail(miscount, fmt.Sprintf("the server counted %d bytes %s, the tester %d", server, direction, moved))
		}
	}
}

func serverCount(row *record.Metrics, direction record.Direction) int64 {
	if direction == record.Up {
		return row.Up
	}
	return row.Down
}

// maxChanges bounds the counters of a table.
const maxChanges = 60

// metricsSection shows what the server counted.
func (r *Run) metricsSection() Section {
	row := r.metrics
	s := Section{Title: "Server's metrics", Lines: []string{row.URL}}
	if !row.Counts {
		s.Lines = append(s.Lines, "it has no counter of bytes that the tester knows: nothing was held against it")
	}
	for _, direction := range []record.Direction{record.Up, record.Down} {
		if moved := r.moved[direction]; moved > 0 && row.Counts {
			verdict := "they agree"
			if serverCount(row, direction) != moved {
				verdict = "they differ"
			}
			s.Lines = append(s.Lines, fmt.Sprintf("bytes %s: server %d, tester %d, %s", direction, serverCount(row, direction), moved, verdict))
		}
	}
	names := slices.Sorted(maps.Keys(row.Changes))
	if len(names) == 0 {
		return s
	}
	s.Table = &Table{Columns: []string{"counter", "grew by"}}
	for _, name := range names[:min(len(names), maxChanges)] {
		s.Table.Add(name, humanize.Ftoa(math.Round(row.Changes[name]*1000)/1000))
	}
	if more := len(names) - maxChanges; more > 0 {
		s.Lines = append(s.Lines, fmt.Sprintf("%d more counters grew", more))
	}
	return s
}
