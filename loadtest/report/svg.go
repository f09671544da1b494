package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a chart, in points.
const (
	chartWidth  vg.Length = 560
	chartHeight vg.Length = 280
)

// The colours of a chart stand for what the page makes of them, in light and in
// dark.
var (
	ink    = color.RGBA{1, 1, 1, 255}
	grid   = color.RGBA{2, 2, 2, 255}
	series = []color.Color{
		color.RGBA{16, 1, 1, 255}, color.RGBA{16, 2, 2, 255}, color.RGBA{16, 3, 3, 255},
		color.RGBA{16, 4, 4, 255}, color.RGBA{16, 5, 5, 255}, color.RGBA{16, 6, 6, 255},
	}
	pageColours = strings.NewReplacer(
		"#010101", "var(--ink)", "#020202", "var(--grid)",
		"#100101", "var(--s1)", "#100202", "var(--s2)", "#100303", "var(--s3)",
		"#100404", "var(--s4)", "#100505", "var(--s5)", "#100606", "var(--s6)",
	)
)

// svg draws the chart as an element for a page.
func (c Chart) svg() (string, error) {
	p := plot.New()
	p.BackgroundColor = nil
	if err := c.draw(p); err != nil {
		return "", fmt.Errorf("chart %q: %w", c.Title, err)
	}
	c.X.apply(&p.X)
	c.Y.apply(&p.Y)
	if !c.Y.Log {
		p.Y.Min = min(0, p.Y.Min)
		p.Y.Max += (p.Y.Max - p.Y.Min) / 20
	}
	if c.X.FromZero {
		p.X.Min = min(0, p.X.Min)
	}
	canvas := vgsvg.New(chartWidth, chartHeight)
	// Room on the right for half of the last tick's label.
	p.Draw(draw.Crop(draw.New(canvas), 0, -vg.Points(18), 0, -vg.Points(6)))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	return element(b.String(), c.Title), nil
}

// draw adds what is to be seen.
func (c Chart) draw(p *plot.Plot) error {
	lines := plotter.NewGrid()
	lines.Horizontal.Color, lines.Vertical.Color = grid, grid
	p.Add(lines)
	for i, line := range c.Lines {
		points := plotter.XYs{}
		for n, x := range line.X {
			points = append(points, plotter.XY{X: x, Y: line.Y[n]})
		}
		if len(points) == 0 {
			continue
		}
		drawn, err := line.plotter(points, series[i%len(series)])
		if err != nil {
			return err
		}
		p.Add(drawn)
	}
	if len(c.Bars) > 0 {
		p.Add(bars(c.Bars))
	}
	for _, x := range c.Marks {
		mark, err := plotter.NewLine(plotter.XYs{{X: x, Y: 0}, {X: x, Y: p.Y.Max}})
		if err != nil {
			return err
		}
		mark.Color, mark.Dashes = ink, []vg.Length{vg.Points(1), vg.Points(4)}
		mark.Width = vg.Points(0.5)
		p.Add(mark)
	}
	return nil
}

func (l Line) plotter(points plotter.XYs, c color.Color) (plot.Plotter, error) {
	if l.Dots {
		dots, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}
		return dots, nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	line.Color, line.Width = c, vg.Points(1.5)
	return line, nil
}

// bars draws each bar in its own width.
type bars []Bar

// Plot draws the bars.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, bar := range b {
		left, right := x(bar.From), x(bar.To)
		gap := (right - left) / 10
		c.FillPolygon(series[0], []vg.Point{
			{X: left + gap, Y: y(0)}, {X: left + gap, Y: y(bar.Height)}, {X: right - gap, Y: y(bar.Height)}, {X: right - gap, Y: y(0)},
		})
	}
}

// DataRange returns the room that they take.
func (b bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = math.Inf(1), math.Inf(-1)
	for _, bar := range b {
		xmin, xmax, ymax = min(xmin, bar.From), max(xmax, bar.To), max(ymax, bar.Height)
	}
	return xmin, xmax, 0, ymax
}

var chartFont = font.From(plot.DefaultFont, 11)

// apply makes axis what a says.
func (a Axis) apply(axis *plot.Axis) {
	axis.Label.Text = a.Label
	axis.Color, axis.Tick.Color = grid, grid
	axis.Label.TextStyle.Color, axis.Tick.Label.Color = ink, ink
	axis.Label.TextStyle.Font, axis.Tick.Label.Font = chartFont, chartFont
	axis.Padding = 0
	switch {
	case a.Log:
		axis.Scale = plot.LogScale{}
	case axis.Max <= axis.Min:
		axis.Max = axis.Min + 1
	}
	if len(a.Ticks) > 0 {
		axis.Tick.Marker = a.spaced(axis)
	} else {
		axis.Tick.Marker = numbers{}
	}
}

// spaced returns the ticks that have room beside each other.
func (a Axis) spaced(axis *plot.Axis) plot.ConstantTicks {
	place := func(x float64) float64 {
		if a.Log {
			return math.Log(x/axis.Min) / math.Log(axis.Max/axis.Min)
		}
		return (x - axis.Min) / (axis.Max - axis.Min)
	}
	const perRune = 0.014 // of the width
	var ticks plot.ConstantTicks
	free := math.Inf(-1)
	for _, t := range a.Ticks {
		if t.At < axis.Min || t.At > axis.Max {
			continue
		}
		half := perRune * float64(len(t.Label)) / 2
		tick := plot.Tick{Value: t.At, Label: t.Label}
		if at := place(t.At); at-half < free {
			tick.Label = "" // a mark without a label
		} else {
			free = at + half + perRune
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// numbers labels an axis as people write numbers.
type numbers struct{}

// Ticks returns the ticks.
func (numbers) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range ticks {
		if t.Label != "" {
			rounded, _ := strconv.ParseFloat(strconv.FormatFloat(t.Value, 'g', 6, 64), 64)
			ticks[i].Label = humanize.Commaf(rounded)
		}
	}
	return ticks
}

var (
	svgOpening = regexp.MustCompile(`(?s)^.*?<svg[^>]*>`)
	svgFont    = regexp.MustCompile(`font-family:[^;"]*;?|font-(?:variant|weight|style|stretch):[^;"]*;?`)
)

// element makes a document an element of a page, in its colours and its font.
func element(document, title string) string {
	drawing := svgOpening.ReplaceAllString(document, "")
	drawing = svgFont.ReplaceAllString(drawing, "")
	var b strings.Builder
	fmt.Fprintf(&b, `<svg role="img" aria-label=%q viewBox="0 0 %g %g">`, title, chartWidth.Points(), chartHeight.Points())
	_, _ = io.WriteString(&b, pageColours.Replace(drawing))
	return b.String()
}
