package main

import (
	"fmt"
	"io"
)

// table prints Markdown, row by row as results come in.
type table struct {
	w   io.Writer
	err error
}

func newTable(w io.Writer) *table {
	t := &table{w: w}
	t.line("| series | A | B | A MB/s | B MB/s | A/B, median (range) | bar | A CPU s/GB | B CPU s/GB | CPU A/B | bar | tester s/GB, A | B | A peak MB | B |")
	t.line("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	return t
}

func (t *table) line(format string, args ...any) {
	if _, err := fmt.Fprintf(t.w, format+"\n", args...); err != nil && t.err == nil {
		t.err = err
	}
}

func (t *table) add(s series, r result) {
	sum := r.Summary
	t.line("| %s | %s %s, %d x %s%s | %s %s | %.0f | %.0f | **%.2f** (%.2f-%.2f) | %s | %.3f | %.3f | %.2f | %s | %.3f | %.3f | %.0f | %.0f |",
		s.name, s.a(), s.scenario, s.streams, sizeText(s.size), s.suffix(), s.peer, s.workOfB(),
		sum.A.Rate.Median, sum.B.Rate.Median, sum.Ratio.Median, sum.Ratio.Min, sum.Ratio.Max, bar(">=", s.least),
		sum.A.CPU.Median, sum.B.CPU.Median, sum.CPURatio, bar("<=", s.most),
		sum.A.Tester.Median, sum.B.Tester.Median, float64(sum.A.Peak)/1e6, float64(sum.B.Peak)/1e6)
	if s.files > 0 {
		perSecond := 1e6 / float64(s.size)
		t.line("| | | | %.0f files/s | %.0f files/s | | | | | | | | | | |", sum.A.Rate.Median*perSecond, sum.B.Rate.Median*perSecond)
	}
	if s.sustained > 0 && len(r.Pairs) > 0 {
		t.line("| | | | %s | | | | | | | | | | | |", rates(r.Pairs[len(r.Pairs)-1].A.Rates))
	}
}

func (s series) workOfB() string {
	if s.synced {
		return s.scenarioOfB() + " and sync"
	}
	return s.scenarioOfB()
}

func (s series) suffix() string {
	if s.files > 0 {
		return fmt.Sprintf(", %d files each", s.files)
	}
	if s.sustained > 0 {
		return fmt.Sprintf(", %d back to back", s.sustained)
	}
	return ""
}

func sizeText(n int64) string {
	if n < 1e6 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%d MB", n/1e6)
}

func bar(relation string, value float64) string {
	if value == 0 {
		return ""
	}
	return fmt.Sprintf("%s %.2f", relation, value)
}

func rates(mbps []float64) string {
	text := "each:"
	for _, r := range mbps {
		text += fmt.Sprintf(" %.0f", r)
	}
	return text
}
