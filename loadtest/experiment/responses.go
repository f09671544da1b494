package experiment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/loadtest"
	"sluice/loadtest/payload"
	"sluice/loadtest/report"
)

// ResponsesPlan says how measurement D goes.
type ResponsesPlan struct {
	// Probe is how long each rate is tried.
	Probe time.Duration
	// Nginx is the URL, ending in /, of a folder of an nginx that takes PUT too;
	// empty for none.
	Nginx string
}

const (
	// crowdOfClients is how many requests may be under way at once.
	crowdOfClients = 256
	// precision is the ratio of what is too much to what is not at which a search
	// ends.
	precision = 1.15
	// highestRate ends a search in any case.
	highestRate = 50_000
)

// responder is a server of measurement D.
type responder struct {
	name string
	// target is where a file of that size is got from.
	target func(size int64) (url string, stop func(), err error)
	pids   []int
}

// Responses asks for files of the old sizes, each over a connection of its own,
// at the old rates and at the highest rate that is sustained.
func Responses(ctx context.Context, o Options, plan ResponsesPlan) ([]report.Section, error) {
	l, err := o.lab("answers per second, each over a connection of its own")
	if err != nil {
		return nil, err
	}
	t := &report.Table{Columns: []string{"size", "server", "asked for, 1/s", "answered, 1/s", "KB/s", "failed", "highest sustained, 1/s", "KB/s at that"}}
	chart := report.Chart{Title: "Highest rate without errors", X: report.Axis{Label: "size"}, Y: report.Axis{Label: "requests/s", Log: true}}
	err = l.serve(ctx, nil, func(address string, pid int) error {
		servers := []responder{rawResponder(), {name: "sluice", target: folderTarget("http://" + address + "/files/"), pids: []int{pid}}}
		if plan.Nginx != "" {
			servers = append(servers, responder{name: "nginx", target: folderTarget(plan.Nginx)})
		}
		chart.Lines = make([]report.Line, len(servers))
		for i, old := range oldResponses {
			addOld(t, old)
			chart.X.Ticks = append(chart.X.Ticks, report.Tick{At: float64(i), Label: old.name})
			for n, server := range servers {
				highest, err := l.answer(ctx, t, server, old, plan)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", server.name, old.name, err)
				}
				line := &chart.Lines[n]
				line.Name = server.name
				if highest > 0 {
					line.X, line.Y = append(line.X, float64(i)), append(line.Y, highest)
				}
			}
		}
		return nil
	})
	return []report.Section{{
		Title: "Answers per second",
		Lines: []string{
			fmt.Sprintf("each request has a connection of its own, at most %d at once; the raw accept loop reads what has come and writes fixed content, in the tester's own process", crowdOfClients),
			"a rate is sustained if no request fails and as many end as are due",
		},
		Table: t, Charts: []report.Chart{chart},
	}}, err
}

// folderTarget asks for a file that the tester puts.
func folderTarget(folder string) func(int64) (string, func(), error) {
	return func(int64) (string, func(), error) { return folder, func() {}, nil }
}

func addOld(t *report.Table, old oldResponse) {
	for _, row := range []struct {
		name string
		rate oldRate
	}{{"old: Squeak, raw sockets", old.squeak}, {"old: VisualWorks, raw sockets", old.vworks}} {
		if row.rate.offered > 0 {
			t.Add(old.name, row.name, number(row.rate.offered), number(row.rate.reached), number(row.rate.kbps), "", "", "")
		}
	}
}

// answer measures one server at one size, and returns the highest rate.
func (l *lab) answer(ctx context.Context, t *report.Table, server responder, old oldResponse, plan ResponsesPlan) (float64, error) {
	target, stop, err := server.target(l.size(old.size))
	if err != nil {
		return 0, err
	}
	defer stop()
	work := loadtest.Plan{
		Scenario: "get", URL: target, Size: payload.Fixed(l.size(old.size)), Seed: l.Seed, Streams: crowdOfClients, Objects: 1,
		Connection: loadtest.ConnectionClose, PIDs: server.pids, Timeout: timeout,
	}
	fixed := work
	fixed.Rate, fixed.Duration = old.offered, plan.Probe
	at, err := l.measure(ctx, fmt.Sprintf("%s %s", server.name, old.name), fixed, 1)
	if err != nil {
		return 0, err
	}
	r, from := at.repeats[0], old.offered/4
	if r.Sustained() {
		from = old.offered // seen to be sustained, so nothing below it has to be tried
	}
	search := l.part("")
	search.aside = true
	highest, err := loadtest.FindRate(ctx, loadtest.RatePlan{
		Plan: work, From: from, To: highestRate, Probe: plan.Probe / 2, Precision: precision,
	}, search, l.Progress)
	if err != nil && !errors.Is(err, loadtest.ErrNotSustained) {
		return 0, err
	}
	if r.Sustained() {
		highest = max(highest, old.offered)
	}
	answered := float64(r.Transfers-r.Failed) / r.Seconds
	t.Add(old.name, "today: "+server.name, number(old.offered), number(answered), number(float64(r.Bytes)/1e3/r.Seconds), fmt.Sprint(r.Failed),
		number(highest), number(highest*float64(l.size(old.size))/1e3))
	return highest, nil
}
