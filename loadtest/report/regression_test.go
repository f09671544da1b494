package report_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

func TestRegress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		xs, ys []float64
		want   report.Regression
		ok     bool
	}{
		{"line", []float64{0, 1, 2}, []float64{5, 7, 9}, report.Regression{N: 3, Slope: 2, Intercept: 5, Correlation: 1}, true},
		{"down", []float64{1, 3}, []float64{4, 0}, report.Regression{N: 2, Slope: -2, Intercept: 6, Correlation: -1}, true},
		{"flat", []float64{1, 3, 5}, []float64{4, 4, 4}, report.Regression{N: 3, Intercept: 4}, true},
		{"upright", []float64{1, 1}, []float64{4, 5}, report.Regression{}, false},
		{"one point", []float64{1}, []float64{4}, report.Regression{}, false},
		{"none", nil, nil, report.Regression{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok := report.Regress(test.xs, test.ys)
			near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
			if ok != test.ok || got.N != test.want.N || !near(got.Slope, test.want.Slope) ||
				!near(got.Intercept, test.want.Intercept) || !near(got.Correlation, test.want.Correlation) {
				t.Errorf("got %+v, %v, want %+v", got, ok, test.want)
			}
		})
	}
}

// A sweep of sizes shows what a request and a byte cost, and a section that
// somebody adds stands in every format.
func TestLineOfSizes(t *testing.T) {
	t.Parallel()
	rows := &record.Run{}
	for _, size := range []int64{4, 1e3, 1e6, 64e6} {
		label := fmt.Sprint(size)
		rows.Transfers = append(rows.Transfers, &record.Transfer{
			Scenario: "put", Direction: record.Up, Label: label, Repeat: 1, Bytes: size, Seconds: 0.002 + 0.5e-9*float64(size),
		})
		rows.Repeats = append(rows.Repeats, &record.Repeat{Label: label, Repeat: 1, Bytes: size, Seconds: 1})
	}
	r := report.Of(rows)
	r.Sections = append(r.Sections, report.RegressionSection("Of my own", "x", "y", []float64{1, 2}, []float64{3, 4}))
	for format, write := range formats {
		var b bytes.Buffer
		if err := write(r, &b); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(text, "Of my own") || format == "text" && !strings.Contains(text, "a request: 0.002000 s, a GB: 0.500000 s") {
			t.Errorf("%s is\n%s", format, text)
		}
	}
}
