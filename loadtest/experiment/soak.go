package experiment

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"sluice/loadtest"
	"sluice/loadtest/report"
)

// SoakPlan says how long and how far measurement B goes.
type SoakPlan struct {
	Duration time.Duration
	// Memory is the server's buffer memory in bytes, and Multiple how many times
	// as large the store may become: beyond that, files are only read.
	Memory   int64
	Multiple int
	// Streams read and write at the same time files of Size bytes.
	Streams int
	Size    int64
}

// intervals is how many rows the table has.
const intervals = 12

// readShare is how many files are read for one that is written.
const readShare = 4

// Soak reads and writes while the store outgrows the server's memory.
func Soak(ctx context.Context, o Options, plan SoakPlan) ([]report.Section, error) {
	l, err := o.lab("reading and writing while the store outgrows the memory")
	if err != nil {
		return nil, err
	}
	var p *part
	err = l.serve(ctx, []string{"--buffer-memory", strconv.FormatInt(plan.Memory, 10), "--block-size", "1MiB"}, func(address string, pid int) error {
		work := l.plan("soak", address, plan.Size, pid)
		work.Streams, work.Duration = plan.Streams, plan.Duration
		work.Grow = plan.Memory * int64(plan.Multiple)
		work.Weights = loadtest.Weights{{Way: "put", Weight: 1}, {Way: "get", Weight: readShare}}
		p, err = l.measure(ctx, "", work, 1)
		return err
	})
	if err != nil {
		return nil, err
	}
	return []report.Section{p.soakSection(plan)}, nil
}

// interval is a stretch of the run.
type interval struct {
	length, objects, kilobytes float64 // seconds, and sums
	grown                      float64 // MB of files written
	memory                     float64 // of the server, MB, at most
}

// soakIntervals sums up the seconds and the uses of memory.
func (p *part) soakIntervals() []interval {
	var end float64
	for _, s := range p.seconds {
		end = max(end, s.End)
	}
	all := make([]interval, min(intervals, max(1, len(p.seconds))))
	at := func(second float64) *interval {
		return &all[min(int(second/end*float64(len(all))), len(all)-1)]
	}
	for _, s := range p.seconds {
		i := at(s.End - s.Length/2)
		i.length += s.Length
		i.objects += float64(s.Finished - s.Failed)
		i.kilobytes += float64(s.Up+s.Down) / 1e3
		i.grown += float64(s.Up) / 1e6
	}
	for _, u := range p.usages {
		i := at(u.At)
		i.memory = max(i.memory, float64(u.ServerRSS)/1e6)
	}
	return all
}

func (p *part) soakSection(plan SoakPlan) report.Section {
	t := &report.Table{Columns: []string{"interval", "objects/s", "KB/s", "store, MB", "memory, MB"}}
	all := p.soakIntervals()
	objects, rates := report.Line{Name: "objects/s"}, report.Line{Name: "MB/s"}
	var at, store, peak float64
	for n, i := range all {
		if i.length == 0 {
			continue
		}
		at, store, peak = at+i.length, store+i.grown, max(peak, i.memory)
		t.Add(fmt.Sprintf("%d, until %.0f s", n+1, at), number(i.objects/i.length), number(i.kilobytes/i.length), number(store), number(i.memory))
		objects.X, objects.Y = append(objects.X, at), append(objects.Y, i.objects/i.length)
		rates.X, rates.Y = append(rates.X, at), append(rates.Y, i.kilobytes/i.length/1e3)
	}
	peak = max(peak, p.peak())
	first, last := all[0], all[len(all)-1]
	t.Add("today, last against first", ratio(last.objects/last.length, first.objects/first.length),
		ratio(last.kilobytes/last.length, first.kilobytes/first.length), number(store), number(peak))
	old := oldSoak
	t.Add("2010, first", number(old.firstObjects), number(old.firstKB), "0", "")
	t.Add("2010, last of two days", number(old.lastObjects), number(old.lastKB), number(old.store*1e3), number(old.memory))
	t.Add("2010, last against first", ratio(old.lastObjects, old.firstObjects), ratio(old.lastKB, old.firstKB), "", "")
	seconds := report.Axis{Label: "seconds", FromZero: true}
	return report.Section{
		Title: "Reading and writing while the store outgrows the memory",
		Lines: []string{
			fmt.Sprintf("%d streams, files of %d bytes, %d read for one written, for %v; buffer memory %.0f MB, the store up to %d times that",
				plan.Streams, plan.Size, readShare, plan.Duration, float64(plan.Memory)/1e6, plan.Multiple),
			"times are the client's, and an object is a file that was read or written whole",
		},
		Table: t,
		Charts: []report.Chart{
			{Title: "Objects per second", X: seconds, Y: report.Axis{Label: "objects/s"}, Lines: []report.Line{objects}},
			{Title: "Bytes per second", X: seconds, Y: report.Axis{Label: "MB/s"}, Lines: []report.Line{rates}},
		},
	}
}

// ratio shows a against b.
func ratio(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", a/b)
}
