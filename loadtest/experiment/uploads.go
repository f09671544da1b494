package experiment

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sluice/loadtest/payload"
	"sluice/loadtest/report"
)

// buffers are the block sizes that servers are started with.
var buffers = []int64{kib8, mib1, mib10, mib30}

// series is the uploads of one file by one way, with each buffer.
type series struct {
	scenario string
	size     int64
	points   []uploadPoint
}

// uploadPoint is what came of one buffer.
type uploadPoint struct {
	buffer       int64
	seconds      []float64
	rates        []float64 // MB/s
	before, peak float64   // of the server's memory, MB
}

// UploadBuffers uploads the two files of measurement A so many times to servers
// with each size of buffer, by form as a browser does, the larger one by PUT too;
// and larger files once.
func UploadBuffers(ctx context.Context, o Options, repeats int) ([]report.Section, error) {
	l, err := o.lab("uploads of large files, by the size of the buffer")
	if err != nil {
		return nil, err
	}
	var sections []report.Section
	all := []series{{scenario: "form", size: largeFile}, {scenario: "form", size: smallFile}, {scenario: "put", size: largeFile}}
	for i := range all {
		if err := l.series(ctx, &all[i], repeats); err != nil {
			return sections, err
		}
		sections = append(sections, all[i].section())
	}
	sections[0].Charts = []report.Chart{changeChart(all)}
	larger, err := l.larger(ctx)
	return append(sections, larger), err
}

// series measures with each buffer, a server of its own for each.
func (l *lab) series(ctx context.Context, s *series, repeats int) error {
	for _, buffer := range buffers {
		flags := []string{"--block-size", strconv.FormatInt(buffer, 10)}
		label := fmt.Sprintf("%s %d, %s", s.scenario, s.size, payload.FormatSize(buffer))
		err := l.serve(ctx, flags, func(address string, pid int) error {
			point := uploadPoint{buffer: buffer, before: memoryOf(pid)}
			p, err := l.measure(ctx, label, l.plan(s.scenario, address, l.size(s.size), pid), repeats)
			for _, r := range p.repeats {
				point.seconds, point.rates = append(point.seconds, r.Seconds), append(point.rates, r.MBPerSecond())
			}
			point.peak = p.peak()
			s.points = append(s.points, point)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", label, err)
		}
	}
	return nil
}

// section is the old table with the new rows beneath.
func (s *series) section() report.Section {
	t := &report.Table{Columns: []string{"server", "buffer", "seconds", "MB/s", "against 8K", "spread", "memory before, MB", "peak, MB"}}
	for _, old := range oldUploads[s.size] {
		buffer := "-"
		if old.buffer > 0 {
			buffer = payload.FormatSize(old.buffer)
		}
		t.Add("2008: "+old.server, buffer, list(old.runs, "%.0f"), number(old.rate), percent(old.change), spread(old.runs), "", "")
	}
	base := mean(s.points[0].seconds)
	for i, p := range s.points {
		change := "-"
		if i > 0 {
			change = fmt.Sprintf("%+.0f %%", gain(base, mean(p.seconds)))
		}
		t.Add("today: sluice, "+s.scenario, payload.FormatSize(p.buffer), list(p.seconds, "%.3f"), number(mean(p.rates)), change,
			spread(p.seconds), number(p.before), number(p.peak))
	}
	return report.Section{
		Title: fmt.Sprintf("Upload of %d bytes by %s", s.size, s.scenario),
		Lines: []string{"spread: from the quickest to the slowest, in per cent of the mean"},
		Table: t,
	}
}

// changeChart draws what a larger buffer brings.
func changeChart(all []series) report.Chart {
	c := report.Chart{
		Title: "Rate against that with 8K", X: report.Axis{Label: "buffer", Log: true}, Y: report.Axis{Label: "per cent"},
	}
	for _, b := range buffers {
		c.X.Ticks = append(c.X.Ticks, report.Tick{At: float64(b), Label: payload.FormatSize(b)})
	}
	for _, s := range all {
		line := report.Line{Name: fmt.Sprintf("%s %d MB", s.scenario, s.size/1e6)}
		for _, p := range s.points {
			line.X = append(line.X, float64(p.buffer))
			line.Y = append(line.Y, gain(mean(s.points[0].seconds), mean(p.seconds)))
		}
		c.Lines = append(c.Lines, line)
	}
	for _, name := range []string{"Swazoo/Aida (Squeak)", "Swazoo/Aida (VisualWorks)"} {
		line := report.Line{Name: "2008: " + name + ", 600 MB"}
		var base float64
		for _, old := range oldUploads[largeFile] {
			if old.server != name {
				continue
			}
			if base == 0 {
				base = mean(old.runs)
			}
			line.X, line.Y = append(line.X, float64(old.buffer)), append(line.Y, gain(base, mean(old.runs)))
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// larger uploads each of the larger files once to one server.
func (l *lab) larger(ctx context.Context) (report.Section, error) {
	t := &report.Table{Columns: []string{"bytes", "2008", "today", "seconds", "MB/s", "memory before, MB", "peak, MB"}}
	err := l.serve(ctx, nil, func(address string, pid int) error {
		for _, file := range largerFiles {
			before := memoryOf(pid)
			p, err := l.measure(ctx, fmt.Sprintf("form %d", file.size), l.plan("form", address, l.size(file.size), pid), 1)
			if err != nil {
				return err
			}
			outcome := "worked"
			if p.failed > 0 {
				outcome = "failed"
			}
			r := p.repeats[0]
			t.Add(fmt.Sprint(file.size), file.then, outcome, fmt.Sprintf("%.3f", r.Seconds), number(r.MBPerSecond()), number(before), number(p.peak()))
		}
		return nil
	})
	return report.Section{Title: "Larger files by form", Lines: []string{"all to one server: its memory has to stay flat"}, Table: t}, err
}

func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// gain is how much higher a rate is, in per cent, for the same work took seconds
// in place of base.
func gain(base, seconds float64) float64 {
	if seconds == 0 {
		return 0
	}
	return 100 * (base/seconds - 1)
}

// spread is the range of values in per cent of their mean.
func spread(values []float64) string {
	m := mean(values)
	if len(values) < 2 || m == 0 {
		return "-"
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return fmt.Sprintf("%.0f %%", 100*(high-low)/m)
}

func list(values []float64, format string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprintf(format, v)
	}
	return strings.Join(texts, " ")
}
