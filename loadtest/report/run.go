package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/loadtest/record"
)

// Run is what the rows of one side come to: of the work on one server. It takes
// any number of transfers in a bounded amount of memory.
type Run struct {
	header   *record.Header
	agents   []*record.Header // of the others that did the work
	repeats  []*record.Repeat
	groups   map[groupKey]*Group
	order    []groupKey
	timeline timeline

	transfers, succeeded int64
	checked              map[record.Checked]int64
	failures             map[string]int
	examples             []string
	moved                map[record.Direction]int64 // also of warm-ups, and of transfers that failed
	metrics              *record.Metrics
}

// maxExamples bounds the failures that a report spells out.
const maxExamples = 10

// How failures that are no transfers are counted.
const (
	cleanup   = "cleanup" // files that could not be removed
	lostAgent = "agent"   // that was lost
	miscount  = "count"   // of bytes, in which the server and the tester differ
)

func newRun() *Run {
	return &Run{
		header: &record.Header{}, groups: map[groupKey]*Group{},
		moved: map[record.Direction]int64{}, checked: map[record.Checked]int64{}, failures: map[string]int{},
	}
}

func (r *Run) add(row record.Row) {
	switch row := row.(type) {
	case *record.Header:
		if row.Agent == "" {
			r.header = row
		} else {
			r.agents = append(r.agents, row)
		}
	case *record.Transfer:
		r.addTransfer(row)
	case *record.Second:
		r.timeline.addSecond(row)
	case *record.Usage:
		r.timeline.addUsage(row)
	case *record.Repeat:
		r.addRepeat(row)
	case *record.Leftover:
		r.fail(cleanup, fmt.Sprintf("clean-up: %v", row.Error))
	case *record.Lost:
		r.fail(lostAgent, fmt.Sprintf("agent %s was lost in repeat %d: %s", row.Agent, row.Repeat, row.Reason))
	case *record.Metrics:
		r.addMetrics(row)
	}
}

func (r *Run) addTransfer(t *record.Transfer) {
	r.transfers++
	r.moved[t.Direction] += t.Bytes
	if t.Error == nil {
		r.succeeded++
		r.checked[t.Checked]++
	} else {
		r.fail(string(t.Error.Kind), fmt.Sprintf("%s: %v", place(t), t.Error))
	}
	if t.Repeat == 0 || t.Side != "" && t.Pair == 0 {
		return // a warm-up
	}
	r.group(groupKey{t.Label, t.Scenario, t.Direction}).add(t)
}

// place says which transfer it is.
func place(t *record.Transfer) string {
	text := fmt.Sprintf("repeat %d, stream %d", t.Repeat, t.Stream)
	if t.Agent != "" {
		text = t.Agent + ", " + text
	}
	return text
}

// group returns the group of that key, the last one if there are too many.
func (r *Run) group(key groupKey) *Group {
	g := r.groups[key]
	if g == nil && len(r.groups) >= maxGroups {
		key = groupKey{label: othersLabel}
		g = r.groups[key]
	}
	if g == nil {
		g = newGroup(key)
		r.groups[key] = g
		r.order = append(r.order, key)
	}
	return g
}

// addRepeat adds the row of a repeat. Where several agents work at the same time,
// theirs are one.
func (r *Run) addRepeat(row *record.Repeat) {
	for _, other := range r.repeats {
		if other.Agent != row.Agent && other.Label == row.Label && other.Pair == row.Pair && other.Repeat == row.Repeat {
			merge(other, row)
			return
		}
	}
	own := *row
	r.repeats = append(r.repeats, &own)
}

func merge(sum, row *record.Repeat) {
	start := min(sum.Start, row.Start)
	sum.Seconds = max(sum.Start+sum.Seconds, row.Start+row.Seconds) - start
	sum.Start = start
	sum.Bytes += row.Bytes
	sum.Transfers += row.Transfers
	sum.Failed += row.Failed
	sum.Rate += row.Rate
	sum.Bounded += row.Bounded
	sum.TesterCPUSeconds += row.TesterCPUSeconds
	sum.ServerCPUSeconds += row.ServerCPUSeconds
	sum.TesterPeakRSS = max(sum.TesterPeakRSS, row.TesterPeakRSS)
	sum.ServerPeakRSS = max(sum.ServerPeakRSS, row.ServerPeakRSS)
}

func (r *Run) fail(kind, example string) {
	r.failures[kind]++
	if len(r.examples) < maxExamples {
		r.examples = append(r.examples, example)
	}
}

// Failures returns the number of failed transfers of each kind. Files that could
// not be removed count as "cleanup", agents that were lost as "agent", and bytes
// that the server counted otherwise as "count".
func (r *Run) Failures() map[string]int { return r.failures }

// Groups returns the groups of transfers in the order in which they began.
func (r *Run) Groups() []*Group {
	var groups []*Group
	for _, key := range r.order {
		groups = append(groups, r.groups[key])
	}
	return groups
}

// Summary sums up the repeats in which something was transferred, the warm-up of
// a comparison apart.
func (r *Run) Summary() Summary {
	return summarise(slices.DeleteFunc(slices.Clone(r.repeats), func(row *record.Repeat) bool {
		return row.Side != "" && row.Pair == 0
	}))
}

// Point is one point of a sweep.
type Point struct {
	Label   string  `json:"label"`
	Summary Summary `json:"summary"`
}

// Points returns the points of a sweep, none if the repeats have no labels.
func (r *Run) Points() []Point {
	var points []Point
	for _, row := range r.repeats {
		if row.Label == "" || slices.ContainsFunc(points, func(p Point) bool { return p.Label == row.Label }) {
			continue
		}
		var same []*record.Repeat
		for _, other := range r.repeats {
			if other.Label == row.Label {
				same = append(same, other)
			}
		}
		points = append(points, Point{row.Label, summarise(same)})
	}
	return points
}

// Err returns nil if all transfers succeeded and their files were removed, and
// an error that wraps [ErrFailed] if not.
func (r *Run) Err() error {
	switch {
	case r.succeeded == 0 && len(r.failures) == 0:
		return ErrNothing
	case r.succeeded == 0:
		return fmt.Errorf("%w (%s)", ErrNothing, describe(r.failures))
	case len(r.failures) > 0:
		return fmt.Errorf("%w: %s in %d transfers", ErrFailed, describe(r.failures), r.transfers)
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

// describeChecks says how far the content of the transfers was verified.
func (r *Run) describeChecks() string {
	words := []string{}
	for _, kind := range []struct {
		checked record.Checked
		text    string
	}{
		{record.CheckedContent, "%d byte by byte"},
		{record.CheckedDigest, "%d by the server's digest"},
		{record.CheckedSame, "%d the same as the first"},
		{record.CheckedNot, "%d not at all"},
	} {
		if n := r.checked[kind.checked]; n > 0 {
			words = append(words, fmt.Sprintf(kind.text, n))
		}
	}
	if len(words) == 0 {
		return "nothing was transferred"
	}
	return "verified: " + strings.Join(words, ", ")
}
