package experiment

import (
	"context"
	"fmt"
	"slices"

	"sluice/loadtest/payload"
	"sluice/loadtest/report"
)

// lengths are those of the files, 4 bytes to 64 MiB, with how many of each are
// moved: so many that the median means something.
var lengths = []struct {
	size  int64
	files int
}{
	{4, 100}, {16, 100}, {64, 100}, {256, 100}, {1 << 10, 100}, {4 << 10, 100}, {16 << 10, 100}, {64 << 10, 100},
	{256 << 10, 30}, {1 << 20, 30}, {4 << 20, 12}, {16 << 20, 6}, {64 << 20, 4},
}

// messageLimit is the length up to which a transfer is a message rather than a
// stream: the line through those tells what a request costs.
const messageLimit = 64 << 10

// costs is the median time of one transfer at each length.
type costs struct {
	name    string
	sizes   []float64 // bytes
	seconds []float64
}

// LineOfCosts moves files of many lengths by each protocol, over one connection,
// and finds what a request and what a byte costs, beside a raw copy over TCP.
func LineOfCosts(ctx context.Context, o Options) ([]report.Section, error) {
	l, err := o.lab("cost of a request and of a byte")
	if err != nil {
		return nil, err
	}
	native, err := l.nativeCosts(ctx)
	if err != nil {
		return nil, fmt.Errorf("raw copy: %w", err)
	}
	all := []costs{native}
	for _, protocol := range []string{"put", "form", "tus", "get"} {
		c, err := l.costsOf(ctx, protocol)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", protocol, err)
		}
		all = append(all, c)
	}
	return lineSections(all), nil
}

// costsOf measures a protocol.
func (l *lab) costsOf(ctx context.Context, protocol string) (costs, error) {
	c := costs{name: protocol}
	err := l.serve(ctx, nil, func(address string, pid int) error {
		for _, length := range lengths {
			plan := l.plan(protocol, address, l.size(length.size), pid)
			plan.Files = l.count(length.files)
			p, err := l.measure(ctx, fmt.Sprintf("%s %d", protocol, length.size), plan, 1)
			if err != nil {
				return err
			}
			var seconds []float64
			for _, t := range p.transfers {
				if t.Error == nil {
					seconds = append(seconds, t.Seconds)
				}
			}
			c.add(length.size, seconds)
		}
		return nil
	})
	return c, err
}

func (c *costs) add(size int64, seconds []float64) {
	if len(seconds) == 0 {
		return
	}
	slices.Sort(seconds)
	c.sizes = append(c.sizes, float64(size))
	c.seconds = append(c.seconds, seconds[len(seconds)/2])
}

// upTo returns the costs of lengths up to a limit.
func (c *costs) upTo(limit float64) (sizes, seconds []float64) {
	n := 0
	for n < len(c.sizes) && c.sizes[n] <= limit {
		n++
	}
	return c.sizes[:n], c.seconds[:n]
}

// at returns the cost of one length.
func (c *costs) at(size float64) float64 {
	for i := range c.sizes {
		if c.sizes[i] == size {
			return c.seconds[i]
		}
	}
	return 0
}

func lineSections(all []costs) []report.Section {
	t := &report.Table{Columns: []string{"today", "lengths", "slope, ps/byte", "intercept, us", "correlation", "share of raw TCP at 4 KiB", "at 1 MiB", "at 64 MiB"}}
	native := &all[0]
	var charts []report.Chart
	times := report.Chart{Title: "Median time of one transfer", X: report.Axis{Label: "length", Log: true}, Y: report.Axis{Label: "microseconds", Log: true}}
	for _, size := range []int64{4, 256, 16 << 10, 1 << 20, 64 << 20} {
		times.X.Ticks = append(times.X.Ticks, report.Tick{At: float64(size), Label: payload.FormatSize(size)})
	}
	for i := range all {
		c := &all[i]
		for _, stretch := range []struct {
			name  string
			limit float64
		}{{"4 B to 64 MiB", 1 << 30}, {"4 B to 64 KiB", messageLimit}} {
			xs, ys := c.upTo(stretch.limit)
			r, ok := report.Regress(xs, ys)
			if !ok {
				continue
			}
			share := func(size float64) string {
				if c == native || c.at(size) == 0 {
					return "-"
				}
				return fmt.Sprintf("%.1f %%", 100*native.at(size)/c.at(size))
			}
			t.Add(c.name, stretch.name, fmt.Sprintf("%.0f", r.Slope*1e12), fmt.Sprintf("%.1f", r.Intercept*1e6),
				fmt.Sprintf("%.4f", r.Correlation), share(4<<10), share(1<<20), share(64<<20))
		}
		line := report.Line{Name: c.name, X: c.sizes}
		for _, s := range c.seconds {
			line.Y = append(line.Y, s*1e6)
		}
		times.Lines = append(times.Lines, line)
	}
	charts = append(charts, times)
	sections := []report.Section{{
		Title: "Cost of a request and of a byte",
		Lines: []string{
			"lines through the median times of one transfer after the other over one connection, by least squares",
			"uploads are on the disk when they are answered; a raw copy is so many bytes by TCP and one byte back, with nothing kept",
		},
		Table: t, Charts: charts,
	}, oldLineSection()}
	for _, c := range all {
		sizes, seconds := slices.Clone(c.sizes), make([]float64, len(c.seconds))
		for i := range sizes {
			sizes[i] /= 1e6
			seconds[i] = c.seconds[i] * 1e3
		}
		s := report.RegressionSection("Line of "+c.name, "MB", "ms", sizes, seconds)
		sections = append(sections, s)
	}
	return sections
}

func oldLineSection() report.Section {
	t := &report.Table{Columns: []string{"2005, 4 to 4096 bytes"}}
	for _, figure := range []string{"slope", "intercept", "share"} {
		for _, system := range oldSystems {
			t.Columns = append(t.Columns, figure+" "+system)
		}
	}
	for _, old := range oldLines {
		cells := []string{old.name}
		for _, v := range old.slope {
			cells = append(cells, fmt.Sprintf("%.0f", v))
		}
		for _, v := range old.intercept {
			cells = append(cells, fmt.Sprintf("%.2f", v))
		}
		for _, v := range old.share {
			if v == 0 {
				cells = append(cells, "-")
				continue
			}
			cells = append(cells, fmt.Sprintf("%.1f %%", v))
		}
		t.Add(cells...)
	}
	return report.Section{
		Title: "Cost of a message and of a byte, as it was",
		Lines: []string{"slopes in ps/byte, intercepts in us, shares of the native mechanism, on three systems"},
		Table: t,
	}
}
