package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"sluice/loadtest/record"
)

// maxDetails bounds the failures that a terminal report spells out.
const maxDetails = 10

// WriteText writes the report of r for a terminal.
func (r *Run) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", r.header.Title)
	r.writeRepeats(&b)
	fmt.Fprintln(&b, r.describeChecks())
	r.writeFailures(&b, "")
	_, err := w.Write(b.Bytes())
	return err
}

// writeRepeats shows each repeat, and their statistics if there are any.
func (r *Run) writeRepeats(b *bytes.Buffer) {
	if len(r.repeats) == 0 {
		return
	}
	t := newTable(b)
	t.row("repeat", "seconds", "MB/s", "server s/GB", "tester s/GB", "server peak MB", "failed", "")
	for _, row := range r.repeats {
		t.row(fmt.Sprint(row.Repeat), seconds(row.Seconds), rate(row.MBPerSecond()),
			cost(row.ServerCPUPerGB()), cost(row.TesterCPUPerGB()), peak(row.ServerPeakRSS), fmt.Sprint(row.Failed), "")
	}
	s := r.Summary()
	line := func(name string, pick func(Stats) float64) {
		t.row(name, seconds(pick(s.Seconds)), rate(pick(s.MBPerSecond)),
			cost(pick(s.ServerCPUPerGB)), cost(pick(s.TesterCPUPerGB)), "", "", "")
	}
	if s.Seconds.Max > 0 {
		line("median", func(s Stats) float64 { return s.Median })
		line("min", func(s Stats) float64 { return s.Min })
		line("max", func(s Stats) float64 { return s.Max })
	}
	t.flush()
	fmt.Fprintln(b)
}

// describeChecks says how far the content of the transfers was verified.
func (r *Run) describeChecks() string {
	counts := map[record.Checked]int{}
	for _, t := range r.transfers {
		if t.Error == nil {
			counts[t.Checked]++
		}
	}
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
		if n := counts[kind.checked]; n > 0 {
			words = append(words, fmt.Sprintf(kind.text, n))
		}
	}
	if len(words) == 0 {
		return "nothing was transferred"
	}
	return "verified: " + strings.Join(words, ", ")
}

// writeFailures counts the failures and spells out the first of them.
func (r *Run) writeFailures(b *bytes.Buffer, prefix string) {
	counts := r.Failures()
	if len(counts) == 0 {
		return
	}
	fmt.Fprintf(b, "%sfailed: %s\n", prefix, describe(counts))
	left := maxDetails
	for _, t := range r.transfers {
		if t.Error != nil && left > 0 {
			fmt.Fprintf(b, "  repeat %d, stream %d: %v\n", t.Repeat, t.Stream, t.Error)
			left--
		}
	}
	for _, e := range r.leftovers[:min(left, len(r.leftovers))] {
		fmt.Fprintf(b, "  clean-up: %v\n", e.Error)
	}
}

func writeJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

// table lines up columns to the right. Nothing can fail, because it writes to
// memory.
type table struct{ w *tabwriter.Writer }

func newTable(b *bytes.Buffer) table {
	return table{tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)}
}

func (t table) row(cells ...string) { _, _ = fmt.Fprintln(t.w, strings.Join(cells, "\t")) }

func (t table) flush() { _ = t.w.Flush() }

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

func rate(mbps float64) string {
	if mbps < 10 {
		return fmt.Sprintf("%.2f", mbps)
	}
	return fmt.Sprintf("%.0f", mbps)
}

// cost shows 0 as unknown: /proc counts in hundredths, and no transfer worth
// measuring costs less.
func cost(perGB float64) string {
	if perGB == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", perGB)
}

func peak(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(bytes)/1e6)
}
