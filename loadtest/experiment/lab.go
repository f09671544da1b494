package experiment

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"sluice/loadtest"
	"sluice/loadtest/payload"
	"sluice/loadtest/record"
)

// Options are what the experiments have in common.
type Options struct {
	// Program is a sluice, which is started as the server.
	Program string
	// Folder is where the servers have their files, on the disk to be measured;
	// empty is the system's folder for temporary files.
	Folder string
	Seed   uint64
	// Scale multiplies lengths of files and times, 0 meaning 1: what tests have
	// small.
	Scale float64
	// Sink gets the rows, Progress shows them come; nil means nowhere.
	Sink     record.Sink
	Progress io.Writer
}

func (o Options) scale() float64 {
	if o.Scale == 0 {
		return 1
	}
	return o.Scale
}

// size is a length at the scale.
func (o Options) size(n int64) int64 { return int64(float64(n) * o.scale()) }

// count is a number of files at the scale.
func (o Options) count(n int) int { return max(2, int(float64(n)*min(1, o.scale()))) }

// timeout is how long a transfer may stand still.
const timeout = time.Minute

// plan is the work of one stream on a server at address.
func (o Options) plan(scenario, address string, size int64, pid int) loadtest.Plan {
	path := "/files/"
	if scenario == "tus" {
		path = "/tus/"
	}
	return loadtest.Plan{
		Scenario: scenario, URL: "http://" + address + path, Size: payload.Fixed(size), Seed: o.Seed,
		Streams: 1, PIDs: []int{pid}, Verify: true, Timeout: timeout,
	}
}

// serve runs work on a server with the given flags.
func (o Options) serve(ctx context.Context, flags []string, work func(address string, pid int) error) error {
	command := append([]string{o.Program, "serve", "--root", "{root}", "--listen", "{listen}", "--admin-listen", "", "--log-level", "error"}, flags...)
	launch := loadtest.Launch{Command: command, Folder: o.Folder}
	return launch.Run(ctx, "", work)
}

// lab is one experiment under way: it makes one run of several, each with a label
// on its rows, and keeps what tables are made of.
type lab struct {
	Options
	began time.Time
}

func (o Options) lab(title string) (*lab, error) {
	header, err := record.NewHeader(title, map[string]any{"experiment": title, "scale": o.scale()}, o.Seed)
	if err != nil {
		return nil, err
	}
	return &lab{o, header.Started}, o.Sink.Write(header)
}

// part returns the sink for one part of the experiment.
func (l *lab) part(label string) *part { return &part{lab: l, label: label} }

// measure has a plan done and returns its rows.
func (l *lab) measure(ctx context.Context, label string, plan loadtest.Plan, repeats int) (*part, error) {
	p := l.part(label)
	return p, loadtest.Measure(ctx, plan, repeats, p, l.Progress)
}

// part takes the rows of a run, marks them with its label, and passes them on as
// rows of the experiment.
type part struct {
	*lab
	label string
	// aside keeps the rows from the report: what they tell of is no failure.
	aside bool

	mu        sync.Mutex
	offset    float64 // of the run's start in that of the experiment, in seconds
	transfers []*record.Transfer
	repeats   []*record.Repeat
	seconds   []*record.Second
	usages    []*record.Usage
	failed    int
}

// Write implements record.Sink.
func (p *part) Write(row record.Row) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch row := row.(type) {
	case *record.Header:
		p.offset = row.Started.Sub(p.began).Seconds()
		return nil
	case *record.Transfer:
		row.Label = p.label
		p.transfers = append(p.transfers, row)
		if row.Error != nil {
			p.failed++
		}
	case *record.Repeat:
		row.Label, row.Start = p.label, row.Start+p.offset
		p.repeats = append(p.repeats, row)
	case *record.Second:
		row.Label = p.label
		p.seconds = append(p.seconds, row)
	case *record.Usage:
		row.Label = p.label
		p.usages = append(p.usages, row)
	}
	if p.aside {
		return nil
	}
	return p.Sink.Write(row)
}

// peak is the largest memory that the server has had, in MB.
func (p *part) peak() (peak float64) {
	for _, r := range p.repeats {
		peak = max(peak, float64(r.ServerPeakRSS)/1e6)
	}
	return peak
}

// memoryOf is the resident set of a process in MB, 0 where the system doesn't
// tell: VmRSS of proc_pid_status(5).
func memoryOf(pid int) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kib); n == 1 {
			return kib * 1024 / 1e6
		}
	}
	return 0
}

// number shows a figure with three digits or so.
func number(v float64) string {
	switch {
	case v == 0:
		return "-"
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// percent shows a change.
func percent(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%+.0f %%", v)
}
