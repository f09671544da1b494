package report

import (
	"fmt"

	"gonum.org/v1/gonum/stat"
)

// Regression is the straight line that fits points best, by least squares.
type Regression struct {
	N         int     `json:"n"`
	Slope     float64 `json:"slope"`
	Intercept float64 `json:"intercept"`
	// Correlation is Pearson's: 1 or -1 where the points are on the line.
	Correlation float64 `json:"correlation"`
}

// Regress returns the line for the points (xs[i], ys[i]), and whether there is
// one: it takes two points with different xs.
func Regress(xs, ys []float64) (Regression, bool) {
	if len(xs) < 2 || len(xs) != len(ys) || stat.Variance(xs, nil) == 0 {
		return Regression{}, false
	}
	intercept, slope := stat.LinearRegression(xs, ys, nil, false)
	r := Regression{N: len(xs), Slope: slope, Intercept: intercept}
	if stat.Variance(ys, nil) > 0 {
		r.Correlation = stat.Correlation(xs, ys, nil)
	}
	return r, true
}

// At returns the line's value at x.
func (r Regression) At(x float64) float64 { return r.Intercept + r.Slope*x }

// String returns the line in words: "y = 0.5 + 2 x, correlation 0.999, 12 points".
func (r Regression) String() string {
	return fmt.Sprintf("y = %.6g %+.6g x, correlation %.4f, %d points", r.Intercept, r.Slope, r.Correlation, r.N)
}

// RegressionSection shows points and the line through them. The axes are
// linear, or the line would not be straight. There is no chart where there is no
// line.
func RegressionSection(title, xLabel, yLabel string, xs, ys []float64) Section {
	r, ok := Regress(xs, ys)
	if !ok {
		return Section{Title: title, Lines: []string{"too few points for a line"}}
	}
	low, high := xs[0], xs[0]
	for _, x := range xs {
		low, high = min(low, x), max(high, x)
	}
	return Section{Title: title, Lines: []string{r.String()}, Charts: []Chart{{
		Title: title, X: Axis{Label: xLabel, FromZero: true}, Y: Axis{Label: yLabel},
		Lines: []Line{
			{Name: "line", X: []float64{low, high}, Y: []float64{r.At(low), r.At(high)}},
			{Name: "measured", X: xs, Y: ys, Dots: true},
		},
	}}}
}

// lineSection shows what a request and a byte cost: the line through the mean
// times of transfers of several lengths. It is shown if a sweep has them.
func (r *Run) lineSection() (Section, bool) {
	var sizes, times []float64
	for _, g := range r.Groups() {
		if n := g.Transfers - g.Failed; n > 0 {
			sizes, times = append(sizes, float64(g.Bytes)/float64(n)), append(times, g.Latency.mean())
		}
	}
	line, ok := Regress(sizes, times)
	if !ok || len(sizes) < 3 || !isLog(sizes) || len(r.Points()) != len(sizes) {
		return Section{}, false
	}
	s := RegressionSection("Cost of a request and of a byte", "bytes", "seconds", sizes, times)
	s.Lines = append(s.Lines, fmt.Sprintf("a request: %s s, a GB: %s s", duration(line.Intercept), duration(line.Slope*1e9)))
	return s, true
}
