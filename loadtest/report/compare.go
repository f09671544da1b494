package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"

	"sluice/loadtest/record"
)

// confidence is that of the intervals and tests of a comparison.
const confidence = 0.95

// Difference is one figure of two runs beside each other.
type Difference struct {
	Figure string  `json:"figure"`
	NA     int     `json:"n_a"`
	NB     int     `json:"n_b"`
	A      float64 `json:"median_a"`
	B      float64 `json:"median_b"`
	// Ratio is that of the medians, A to B.
	Ratio float64 `json:"ratio"`
	// Low and High bound the ratio with a confidence of 95 %: of what is left when
	// the least and the most likely ratios between a value of A and one of B are
	// taken away (Hodges and Lehmann). 0 if there are too few values for that.
	Low  float64 `json:"ratio_low,omitzero"`
	High float64 `json:"ratio_high,omitzero"`
	// P is the probability that A and B differ so much by chance (Mann and Whitney).
	P float64 `json:"p"`
	// Verdict is "A is higher", "A is lower", "no difference shown" or why there is
	// none.
	Verdict string `json:"verdict"`
}

// Compared is two runs beside each other, A and B, which were made at different
// times.
type Compared struct {
	A           string       `json:"a"` // their titles
	B           string       `json:"b"`
	Differences []Difference `json:"differences"`
}

// Compare holds two runs against each other: the rates and costs of their repeats,
// and the figures of their transfers group by group. Of many transfers it takes a
// sample.
func Compare(a, b *Report) (*Compared, error) {
	runsA, runsB := a.Runs(), b.Runs()
	if len(runsA) != 1 || len(runsB) != 1 {
		return nil, fmt.Errorf("compare: each of the two must be the records of one run, not of %d and %d sides", len(runsA), len(runsB))
	}
	x, y := runsA[0], runsB[0]
	c := &Compared{A: x.title(), B: y.title()}
	for _, label := range labels(x.repeats) {
		for _, f := range []struct {
			name   string
			figure func(*record.Repeat) float64
		}{
			{"MB/s of repeats", (*record.Repeat).MBPerSecond},
			{"server s/GB", (*record.Repeat).ServerCPUPerGB},
			{"tester s/GB", (*record.Repeat).TesterCPUPerGB},
		} {
			c.add(prefixed(label, f.name), known(pick(at(x.repeats, label), f.figure)), known(pick(at(y.repeats, label), f.figure)))
		}
	}
	for _, g := range x.Groups() {
		other := y.groups[groupKey{g.Label, g.Scenario, g.Direction}]
		if other == nil {
			continue
		}
		theirs := map[string]*distribution{}
		for _, f := range other.figures() {
			theirs[f.name] = f.values
		}
		for _, f := range g.figures() {
			if d := theirs[f.name]; d != nil && f.values != &g.Delay {
				c.add(fmt.Sprintf("%s %s, %s", g.name(), f.name, f.unit), f.values.sample, d.sample)
			}
		}
	}
	return c, nil
}

// labels returns the points of a sweep, "" if it is none.
func labels(repeats []*record.Repeat) []string {
	var all []string
	for _, row := range repeats {
		if !slices.Contains(all, row.Label) {
			all = append(all, row.Label)
		}
	}
	return all
}

func at(repeats []*record.Repeat, label string) []*record.Repeat {
	return slices.DeleteFunc(slices.Clone(repeats), func(row *record.Repeat) bool { return row.Label != label })
}

func prefixed(label, name string) string {
	if label == "" {
		return name
	}
	return label + " " + name
}

// known leaves out the values that are 0, which stands for unknown.
func known(values []float64) []float64 {
	return slices.DeleteFunc(values, func(v float64) bool { return v == 0 })
}

// add compares the values of one figure, if both have it.
func (c *Compared) add(figure string, a, b []float64) {
	if len(a) > 0 && len(b) > 0 {
		c.Differences = append(c.Differences, newDifference(figure, a, b))
	}
}

func newDifference(figure string, a, b []float64) Difference {
	thresholds := benchmath.DefaultThresholds
	x, y := benchmath.NewSample(slices.Clone(a), &thresholds), benchmath.NewSample(slices.Clone(b), &thresholds)
	d := Difference{
		Figure: figure, NA: len(a), NB: len(b),
		A: benchmath.AssumeNothing.Summary(x, confidence).Center, B: benchmath.AssumeNothing.Summary(y, confidence).Center,
	}
	d.Ratio = ratio(d.A, d.B)
	d.Low, d.High = ratioInterval(x.Values, y.Values)
	test := benchmath.AssumeNothing.Compare(x, y)
	d.P = test.P
	switch {
	case test.P <= test.Alpha && d.A > d.B:
		d.Verdict = "A is higher"
	case test.P <= test.Alpha:
		d.Verdict = "A is lower"
	case len(test.Warnings) > 0:
		d.Verdict = "too few: " + test.Warnings[0].Error()
	default:
		d.Verdict = "no difference shown"
	}
	return d
}

// maxPairs bounds the ratios that an interval is found among.
const maxPairs = 1 << 20

// ratioInterval returns the bounds of the ratio between a value of a and one of b,
// 0 and 0 if they are too few. It is the interval that belongs to the test of Mann
// and Whitney: of all ratios in their order, as many are left out at both ends as
// the test takes for chance.
func ratioInterval(a, b []float64) (low, high float64) {
	a, b = thin(a), thin(b)
	if a[0] <= 0 || b[0] <= 0 {
		return 0, 0
	}
	out := leftOut(len(a), len(b))
	if out < 1 {
		return 0, 0
	}
	ratios := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			ratios = append(ratios, x/y)
		}
	}
	slices.Sort(ratios)
	return ratios[out-1], ratios[len(ratios)-out]
}

// leftOut returns how many of n1 x n2 ratios stand outside at each end, those
// which bound the interval among them.
func leftOut(n1, n2 int) int {
	const tail = (1 - confidence) / 2
	if n1 <= 25 && n2 <= 25 {
		u := stats.UDist{N1: n1, N2: n2}
		out := 0
		for u.CDF(float64(out)) <= tail {
			out++
		}
		return out
	}
	product := float64(n1) * float64(n2)
	return int(product/2 - 1.96*math.Sqrt(product*float64(n1+n2+1)/12))
}

// thin returns sorted values evenly thinned out, so that the pairs of two are not
// too many.
func thin(sorted []float64) []float64 {
	most := int(math.Sqrt(maxPairs))
	if len(sorted) <= most {
		return sorted
	}
	thinned := make([]float64, most)
	for i := range thinned {
		thinned[i] = sorted[i*len(sorted)/most]
	}
	return thinned
}

func (c *Compared) section() Section {
	t := &Table{Columns: []string{"figure", "n A", "n B", "median A", "median B", "A/B", "95 % of A/B", "p", "verdict"}}
	for _, d := range c.Differences {
		interval := "-"
		if d.High > 0 {
			interval = fmt.Sprintf("%.3f to %.3f", d.Low, d.High)
		}
		t.Add(d.Figure, fmt.Sprint(d.NA), fmt.Sprint(d.NB), fmt.Sprintf("%.4g", d.A), fmt.Sprintf("%.4g", d.B),
			fmt.Sprintf("%.3f", d.Ratio), interval, fmt.Sprintf("%.4f", d.P), d.Verdict)
	}
	return Section{Title: "A and B", Lines: []string{"A  " + c.A, "B  " + c.B}, Table: t}
}

// WriteText writes the comparison for a terminal.
func (c *Compared) WriteText(w io.Writer) error {
	s := c.section()
	var b bytes.Buffer
	for _, line := range s.Lines {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintln(&b)
	s.Table.writeText(&b)
	_, err := w.Write(b.Bytes())
	return err
}

// WriteJSON writes the comparison as one JSON document.
func (c *Compared) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(c)
}
