package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// maxChartGroups bounds the groups that are drawn: more are not told apart.
const maxChartGroups = 6

// transferCharts draws how the figures of transfers are spread.
func (r *Run) transferCharts() []Chart {
	groups := r.Groups()
	if len(groups) > maxChartGroups {
		groups = groups[:maxChartGroups]
	}
	var charts []Chart
	latency := Chart{
		Title: "Latency percentiles",
		X: Axis{Label: "percentile", Ticks: []Tick{
			{nines(0), "0"}, {nines(50), "50"}, {nines(90), "90"}, {nines(99), "99"}, {nines(99.9), "99.9"}, {nines(99.99), "99.99"}, {nines(99.999), "99.999"},
		}},
		Y: Axis{Label: "seconds"},
	}
	for _, g := range groups {
		if g.Rate.n() >= fewest {
			charts = append(charts, Chart{
				Title: "Rates of " + g.name(), X: Axis{Label: "MB/s"}, Y: Axis{Label: "transfers"},
				Bars: g.Rate.bars(min(40, max(8, int(math.Sqrt(float64(g.Rate.n())))))),
			})
		}
		if g.Latency.n() >= fewest {
			latency.Lines = append(latency.Lines, g.Latency.curve(g.name()))
		}
	}
	return append(charts, latency)
}

// fewest is the number of values below which a distribution is none.
const fewest = 5

// nines is the place of a percentile on an axis that has as much room for the
// last of a thousand as for the last of ten.
func nines(percentile float64) float64 { return -math.Log10(1 - percentile/100) }

// curve returns the percentiles, as far as there are values for them.
func (d *distribution) curve(name string) Line {
	line := Line{Name: name}
	for at := 0.0; at <= math.Log10(float64(d.n())); at += 0.02 {
		line.X = append(line.X, at)
		line.Y = append(line.Y, d.percentile(100*(1-math.Pow(10, -at))))
	}
	return line
}

// bars counts the values in so many steps of one width, none if all are equal.
func (d *distribution) bars(steps int) []Bar {
	if d.n() == 0 || d.max <= d.min {
		return nil
	}
	width := (d.max - d.min) / float64(steps)
	bars := make([]Bar, steps)
	for i := range bars {
		bars[i].From, bars[i].To = d.min+float64(i)*width, d.min+float64(i+1)*width
	}
	for _, step := range d.histogram.Distribution() {
		if step.Count > 0 {
			middle := float64(step.From+step.To) / 2 * d.unit
			at := int((middle - d.min) / width)
			bars[min(max(at, 0), steps-1)].Height += float64(step.Count)
		}
	}
	return bars
}

// repeatCharts draws the rate of each repeat, where there are so many that a
// table doesn't show how they go.
func (r *Run) repeatCharts() []Chart {
	line := Line{}
	for i, row := range r.repeats {
		line.X, line.Y = append(line.X, float64(i+1)), append(line.Y, row.MBPerSecond())
	}
	if len(line.X) < fewest || len(r.Points()) > 0 {
		return nil
	}
	return []Chart{{Title: "MB/s of each repeat", X: Axis{Label: "repeat"}, Y: Axis{Label: "MB/s"}, Lines: []Line{line}}}
}

// timeCharts draws the rate, and the server's memory if it is known, over time.
// Marks stand where a repeat ends.
func timeCharts(moments []Moment, ends []float64) []Chart {
	up, down, memory := Line{Name: "up"}, Line{Name: "down"}, Line{}
	var sumUp, sumDown float64
	for _, m := range moments {
		up.X, up.Y = append(up.X, m.At), append(up.Y, m.Up)
		down.X, down.Y = append(down.X, m.At), append(down.Y, m.Down)
		sumUp, sumDown = sumUp+m.Up, sumDown+m.Down
		if m.ServerRSS > 0 {
			memory.X, memory.Y = append(memory.X, m.At), append(memory.Y, float64(m.ServerRSS)/1e6)
		}
	}
	var lines []Line
	if sumUp > 0 {
		lines = append(lines, up)
	}
	if sumDown > 0 {
		lines = append(lines, down)
	}
	if len(ends) > 60 {
		ends = nil
	} else if len(ends) > 0 {
		ends = ends[:len(ends)-1]
	}
	time := Axis{Label: "seconds", FromZero: true}
	return []Chart{
		{Title: "Throughput over time", X: time, Y: Axis{Label: "MB/s"}, Lines: lines, Marks: ends},
		{Title: "Memory of the server", X: time, Y: Axis{Label: "MB"}, Lines: []Line{memory}, Marks: ends},
	}
}

// sweepCharts draws the rate at each point.
func sweepCharts(points []Point) []Chart {
	middle, low, high := Line{Name: "median"}, Line{Name: "least", Dots: true}, Line{Name: "most", Dots: true}
	axis := Axis{Label: pointVariable(points)}
	xs, numbers := places(points)
	for i, p := range points {
		s := p.Summary.MBPerSecond
		if s.N == 0 {
			continue
		}
		middle.X, middle.Y = append(middle.X, xs[i]), append(middle.Y, s.Median)
		low.X, low.Y = append(low.X, xs[i]), append(low.Y, s.Min)
		high.X, high.Y = append(high.X, xs[i]), append(high.Y, s.Max)
		axis.Ticks = append(axis.Ticks, Tick{xs[i], pointValue(p.Label)})
	}
	axis.Log = numbers && isLog(xs)
	lines := []Line{middle}
	if len(points) > 0 && points[0].Summary.MBPerSecond.N > 1 {
		lines = append(lines, low, high)
	}
	return []Chart{{Title: "MB/s along the sweep", X: axis, Y: Axis{Label: "MB/s"}, Lines: lines}}
}

// pointValue returns the value of a label like "size=4KiB".
func pointValue(label string) string {
	if _, value, found := strings.Cut(label, "="); found {
		return value
	}
	return label
}

// pointVariable returns the name that such labels have in common, if they do.
func pointVariable(points []Point) string {
	var name string
	for i, p := range points {
		variable, _, found := strings.Cut(p.Label, "=")
		if !found || i > 0 && variable != name {
			return ""
		}
		name = variable
	}
	return name
}

// places returns where points stand on an axis: at the numbers or sizes that all
// of their labels are, and else one after the other.
func places(points []Point) (xs []float64, numbers bool) {
	for i, p := range points {
		value := pointValue(p.Label)
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			var size uint64
			size, err = humanize.ParseBytes(value)
			x = float64(size)
		}
		if err != nil || i > 0 && x <= xs[i-1] {
			xs = nil
			for i := range points {
				xs = append(xs, float64(i))
			}
			return xs, false
		}
		xs = append(xs, x)
	}
	return xs, true
}
