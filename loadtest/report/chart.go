package report

// Chart is lines, points or bars over two axes.
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
	Log   bool
	// Names stand at 0, 1, 2 … in place of numbers.
	Names []string
}

// Line is points that are joined, unless they are only dots.
type Line struct {
	Name string
	X, Y []float64
	Dots bool
}

// Bar stands between two values of X.
type Bar struct{ From, To, Height float64 }
