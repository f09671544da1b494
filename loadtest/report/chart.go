package report

import "math"

// Chart is lines, dots and bars over two axes.
type Chart struct {
	Title string
	X, Y  Axis
	Lines []Line
	Bars  []Bar
	// Marks are where lines stand upright across the chart.
	Marks []float64
}

// Axis is how one direction of a chart is labelled and scaled.
type Axis struct {
	Label string
	Log   bool // all values must be positive
	// FromZero shows 0 even where there are no values. Y does so always.
	FromZero bool
	// Ticks are where the axis is labelled, at places of its own choice if there
	// are none.
	Ticks []Tick
}

// Tick is a place on an axis.
type Tick struct {
	At    float64
	Label string
}

// Line is points that are joined, or only dots.
type Line struct {
	Name string // shown where there are several
	X, Y []float64
	Dots bool
}

// Bar stands between two values of X.
type Bar struct{ From, To, Height float64 }

// empty says that there is nothing to see.
func (c Chart) empty() bool {
	for _, line := range c.Lines {
		if len(line.X) > 1 || line.Dots && len(line.X) > 0 {
			return false
		}
	}
	return len(c.Bars) < 2
}

// isLog tells whether positive values are so far apart that only a logarithmic
// axis shows them all.
func isLog(values []float64) bool {
	low, high := math.Inf(1), 0.0
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low > 0 && high/low > 20
}
