package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"sluice/loadtest/record"
)

// Comparison is the report of two servers, or two ways into one, that took turns.
type Comparison struct {
	A, B *Run
}

// NewComparison returns the report of rows that come from the sides a and b.
func NewComparison(rows *record.Run) *Comparison {
	return &Comparison{A: newSide(rows, "a"), B: newSide(rows, "b")}
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

// WriteText writes the report of c for a terminal.
func (c *Comparison) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "A  %s\nB  %s\n\n", c.A.header.Title, c.B.header.Title)
	c.writePairs(&b)
	c.writeRates(&b)
	fmt.Fprintf(&b, "\nA %s\nB %s\n", c.A.describeChecks(), c.B.describeChecks())
	c.A.writeFailures(&b, "A ")
	c.B.writeFailures(&b, "B ")
	_, err := w.Write(b.Bytes())
	return err
}

func (c *Comparison) writePairs(b *bytes.Buffer) {
	t := newTable(b)
	t.row("pair", "A MB/s", "B MB/s", "MB/s A/B", "A s/GB", "B s/GB", "s/GB A/B", "A peak MB", "B peak MB", "")
	for _, p := range c.Pairs() {
		x, y := p.A.Total, p.B.Total
		t.row(fmt.Sprint(p.Number), rate(x.MBPerSecond()), rate(y.MBPerSecond()), factor(p.Ratio),
			cost(x.ServerCPUPerGB()), cost(y.ServerCPUPerGB()),
			factor(ratio(x.ServerCPUPerGB(), y.ServerCPUPerGB())),
			peak(x.ServerPeakRSS), peak(y.ServerPeakRSS), "")
	}
	s := c.Summary()
	if s.Ratio.Max == 0 {
		t.flush()
		return
	}
	t.row("median", rate(s.A.MBPerSecond.Median), rate(s.B.MBPerSecond.Median), factor(s.Ratio.Median),
		cost(s.A.ServerCPUPerGB.Median), cost(s.B.ServerCPUPerGB.Median), factor(s.ServerCPURatio),
		peak(s.A.ServerPeakRSS), peak(s.B.ServerPeakRSS), "")
	t.flush()
	fmt.Fprintf(b, "\nA/B MB/s: median %s, range %s to %s\n", factor(s.Ratio.Median), factor(s.Ratio.Min), factor(s.Ratio.Max))
	fmt.Fprintf(b, "tester s/GB: A %s, B %s\n", cost(s.A.TesterCPUPerGB.Median), cost(s.B.TesterCPUPerGB.Median))
}

// writeRates shows, of sustained turns, the rate of each repeat.
func (c *Comparison) writeRates(b *bytes.Buffer) {
	pairs := c.Pairs()
	if len(pairs) == 0 || len(pairs[0].A.Rates) < 2 {
		return
	}
	fmt.Fprintf(b, "\nMB/s of each of %d back to back:\n", len(pairs[0].A.Rates))
	for _, p := range pairs {
		fmt.Fprintf(b, "pair %d  A  %s\n        B  %s\n", p.Number, rates(p.A.Rates), rates(p.B.Rates))
	}
}

// WriteJSON writes c as one JSON document: the raw rows of both sides, the
// pairs and their summary.
func (c *Comparison) WriteJSON(w io.Writer) error {
	return writeJSON(w, struct {
		A       document      `json:"a"`
		B       document      `json:"b"`
		Pairs   []Pair        `json:"pairs"`
		Summary VersusSummary `json:"summary"`
	}{c.A.document(), c.B.document(), c.Pairs(), c.Summary()})
}

func rates(mbps []float64) string {
	words := make([]string, len(mbps))
	for i, r := range mbps {
		words[i] = rate(r)
	}
	return strings.Join(words, "  ")
}

func factor(f float64) string {
	if f == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", f)
}
