package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"sluice/loadtest/record"
	"sluice/loadtest/spark"
)

// title is the plan in one line.
func (r *Run) title() string { return cmp.Or(r.header.Title, "load") }

// describeAgents says which machines did the work, if it was not the tester's
// own.
func (r *Run) describeAgents() []string {
	if len(r.agents) == 0 {
		return nil
	}
	var names []string
	for _, header := range r.agents {
		if !slices.Contains(names, header.Agent) {
			names = append(names, header.Agent)
		}
	}
	slices.Sort(names)
	return []string{fmt.Sprintf("by %d agents: %s", len(names), words(names))}
}

// repeatTable shows each repeat, and their statistics if there are any.
func (r *Run) repeatTable() *Table {
	if len(r.repeats) == 0 {
		return nil
	}
	t := &Table{Columns: []string{
		"repeat", "seconds", "MB/s", "transfers/s", "server s/GB", "tester s/GB", "server peak MB", "tester peak MB", "failed",
	}}
	for _, row := range r.shownRepeats() {
		t.Add(repeatName(row), seconds(row.Seconds), rate(row.MBPerSecond()), perSecond(row),
			cost(row.ServerCPUPerGB()), cost(row.TesterCPUPerGB()), peak(row.ServerPeakRSS), peak(row.TesterPeakRSS), fmt.Sprint(row.Failed))
	}
	s := r.Summary()
	if s.Seconds.N == 0 || len(r.Points()) > 0 {
		return t
	}
	for _, line := range []struct {
		name string
		pick func(Stats) float64
	}{
		{"median", func(s Stats) float64 { return s.Median }},
		{"mean", func(s Stats) float64 { return s.Mean }},
		{"std dev", func(s Stats) float64 { return s.StdDev }},
		{"min", func(s Stats) float64 { return s.Min }},
		{"max", func(s Stats) float64 { return s.Max }},
	} {
		t.Add(line.name, seconds(line.pick(s.Seconds)), rate(line.pick(s.MBPerSecond)), fmt.Sprintf("%.4g", line.pick(s.PerSecond)),
			cost(line.pick(s.ServerCPUPerGB)), cost(line.pick(s.TesterCPUPerGB)), "", "", "")
	}
	return t
}

// perSecond shows the transfers that ended per second, and in an open model those
// that were due.
func perSecond(row *record.Repeat) string {
	ended := endedPerSecond(row)
	switch {
	case row.Transfers == 0:
		return "-"
	case row.Bounded > 0:
		return fmt.Sprintf("%.4g of %.4g, %d waited", ended, row.Rate, row.Bounded)
	case row.Rate > 0:
		return fmt.Sprintf("%.4g of %.4g", ended, row.Rate)
	}
	return fmt.Sprintf("%.4g", ended)
}

func repeatName(row *record.Repeat) string {
	if row.Label == "" {
		return fmt.Sprint(row.Repeat)
	}
	return fmt.Sprintf("%s %d", row.Label, row.Repeat)
}

// maxShownRepeats bounds the repeats of a table. Where there are more, those at
// both ends are shown.
const maxShownRepeats = 40

// shownRepeats returns the repeats that a table shows.
func (r *Run) shownRepeats() []*record.Repeat {
	var shown []*record.Repeat
	for i, row := range r.repeats {
		if len(r.repeats) <= maxShownRepeats || i < maxShownRepeats/2 || i >= len(r.repeats)-maxShownRepeats/2 {
			shown = append(shown, row)
		}
	}
	return shown
}

// transferTable shows how the figures of transfers are spread, group by group.
func (r *Run) transferTable() *Table {
	t := &Table{Columns: []string{"figure", "n", "mean", "min", "p50", "p90", "p95", "p99", "p99.9", "max"}}
	for _, g := range r.Groups() {
		for _, f := range g.figures() {
			show := rate
			if f.unit == "s" {
				show = duration
			}
			p := f.values.percentiles()
			t.Add(fmt.Sprintf("%s %s, %s", g.name(), f.name, f.unit), fmt.Sprint(p.N),
				show(p.Mean), show(p.Min), show(p.P50), show(p.P90), show(p.P95), show(p.P99), show(p.P999), show(p.Max))
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// sweepSection shows the points of a sweep beside each other.
func sweepSection(points []Point) Section {
	t := &Table{Columns: []string{"point", "repeats", "median MB/s", "mean MB/s", "std dev", "min", "max", "transfers/s", "server s/GB", "tester s/GB"}}
	for _, p := range points {
		s := p.Summary
		t.Add(p.Label, fmt.Sprint(s.MBPerSecond.N), rate(s.MBPerSecond.Median), rate(s.MBPerSecond.Mean), rate(s.MBPerSecond.StdDev),
			rate(s.MBPerSecond.Min), rate(s.MBPerSecond.Max), fmt.Sprintf("%.4g", s.PerSecond.Median), cost(s.ServerCPUPerGB.Median), cost(s.TesterCPUPerGB.Median))
	}
	return Section{Title: "Sweep", Table: t, Charts: sweepCharts(points)}
}

// timeSection shows the rate over time.
func timeSection(moments []Moment, ends []float64) Section {
	var values []float64
	low, high := moments[0].MBPerSecond(), 0.0
	for _, m := range moments {
		values = append(values, m.MBPerSecond())
		low, high = min(low, m.MBPerSecond()), max(high, m.MBPerSecond())
	}
	return Section{
		Title:  "MB/s over time",
		Lines:  []string{fmt.Sprintf("%s  %s to %s MB/s in %s s", spark.Line(values, 60), rate(low), rate(high), humanize.FtoaWithDigits(moments[len(moments)-1].At, 1))},
		Charts: timeCharts(moments, ends),
	}
}

// outcome says what was checked, and what failed.
func (r *Run) outcome() []string {
	lines := []string{r.describeChecks()}
	if len(r.failures) > 0 {
		lines = append(lines, "failed: "+describe(r.failures))
	}
	for _, example := range r.examples {
		lines = append(lines, "  "+example)
	}
	return lines
}

// rateSection says which rate was the highest that the server kept up with, if the
// points of a sweep are rates.
func (r *Run) rateSection() (Section, bool) {
	var best, least *record.Repeat
	for _, row := range r.repeats {
		switch {
		case row.Rate == 0:
		case row.Sustained():
			if best == nil || row.Rate > best.Rate {
				best = row
			}
		case least == nil || row.Rate < least.Rate:
			least = row
		}
	}
	if best == nil && least == nil || len(r.Points()) < 2 {
		return Section{}, false
	}
	s := Section{Title: "Rate", Lines: []string{"no rate was sustained"}}
	if best != nil {
		s.Lines = []string{fmt.Sprintf("the highest rate sustained: %.6g transfers per second", best.Rate)}
	}
	if least != nil {
		s.Lines = append(s.Lines, fmt.Sprintf("the lowest rate not sustained: %.6g transfers per second", least.Rate))
	}
	return s, true
}
