// Package spark draws numbers as a line of bars that a terminal can show.
package spark

const levels = "▁▂▃▄▅▆▇█"

// Line draws values as at most width bars, from 0 to the largest of them. Where
// there are more values, each bar is the mean of several.
func Line(values []float64, width int) string {
	if len(values) > width {
		values = squeeze(values, width)
	}
	bars := []rune(levels)
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	line := make([]rune, len(values))
	for i, v := range values {
		line[i] = bars[0]
		if top > 0 {
			line[i] = bars[min(max(0, int(v/top*float64(len(bars)))), len(bars)-1)]
		}
	}
	return string(line)
}

// squeeze returns the means of as many stretches of values as width says.
func squeeze(values []float64, width int) []float64 {
	squeezed := make([]float64, width)
	for i := range squeezed {
		from, to := i*len(values)/width, (i+1)*len(values)/width
		for _, v := range values[from:to] {
			squeezed[i] += v / float64(to-from)
		}
	}
	return squeezed
}
