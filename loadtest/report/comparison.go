package report

import (
	"errors"
	"fmt"
)

// Comparison is two servers, or two ways into one, that took turns.
type Comparison struct {
	A, B *Run
}

func newComparison() *Comparison { return &Comparison{A: newRun(), B: newRun()} }

// side returns the run of that side.
func (c *Comparison) side(name string) *Run {
	if name == "a" {
		return c.A
	}
	return c.B
}

// Err is [Run.Err] for the two sides.
func (c *Comparison) Err() error {
	var faults []error
	if err := c.A.Err(); err != nil {
		faults = append(faults, fmt.Errorf("a: %w", err))
	}
	if err := c.B.Err(); err != nil {
		faults = append(faults, fmt.Errorf("b: %w", err))
	}
	return errors.Join(faults...)
}

func (c *Comparison) sections() []Section {
	lines := []string{"A  " + c.A.title(), "B  " + c.B.title()}
	all := []Section{{Title: "A against B", Lines: lines, Table: c.pairTable()}}
	if s := c.Summary(); s.Ratio.N > 0 {
		all = append(all, Section{Title: "Ratio", Lines: []string{
			fmt.Sprintf("A/B MB/s: median %s, range %s to %s", factor(s.Ratio.Median), factor(s.Ratio.Min), factor(s.Ratio.Max)),
			fmt.Sprintf("tester s/GB: A %s, B %s", cost(s.A.TesterCPUPerGB.Median), cost(s.B.TesterCPUPerGB.Median)),
		}})
	}
	if lines := c.sustained(); lines != nil {
		all = append(all, Section{Title: "MB/s of each repeat, back to back", Lines: lines})
	}
	for _, side := range c.sides() {
		if table := side.run.transferTable(); table != nil {
			all = append(all, Section{Title: "Transfers of " + side.name, Table: table, Charts: side.run.transferCharts()})
		}
	}
	var outcome []string
	for _, side := range c.sides() {
		for _, line := range side.run.outcome() {
			outcome = append(outcome, side.name+" "+line)
		}
	}
	return append(all, Section{Title: "Outcome", Lines: outcome})
}

type namedRun struct {
	name string
	run  *Run
}

func (c *Comparison) sides() []namedRun { return []namedRun{{"A", c.A}, {"B", c.B}} }

func (c *Comparison) pairTable() *Table {
	t := &Table{Columns: []string{"pair", "A MB/s", "B MB/s", "MB/s A/B", "A s/GB", "B s/GB", "s/GB A/B", "A peak MB", "B peak MB"}}
	for _, p := range c.Pairs() {
		x, y := &p.A.Total, &p.B.Total
		t.Add(fmt.Sprint(p.Number), rate(x.MBPerSecond()), rate(y.MBPerSecond()), factor(p.Ratio),
			cost(x.ServerCPUPerGB()), cost(y.ServerCPUPerGB()),
			factor(ratio(x.ServerCPUPerGB(), y.ServerCPUPerGB())),
			peak(x.ServerPeakRSS), peak(y.ServerPeakRSS))
	}
	if s := c.Summary(); s.Ratio.N > 0 {
		t.Add("median", rate(s.A.MBPerSecond.Median), rate(s.B.MBPerSecond.Median), factor(s.Ratio.Median),
			cost(s.A.ServerCPUPerGB.Median), cost(s.B.ServerCPUPerGB.Median), factor(s.ServerCPURatio),
			peak(s.A.ServerPeakRSS), peak(s.B.ServerPeakRSS))
	}
	return t
}

// sustained shows, of turns with several repeats, the rate of each.
func (c *Comparison) sustained() []string {
	var lines []string
	for _, p := range c.Pairs() {
		if len(p.A.Rates) > 1 {
			lines = append(lines, fmt.Sprintf("pair %d  A  %s", p.Number, rates(p.A.Rates)), "        B  "+rates(p.B.Rates))
		}
	}
	return lines
}
