package loadtest

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"sluice/loadtest/payload"
	"sluice/loadtest/record"
)

// SweepPlan is the same work at several values of one variable.
type SweepPlan struct {
	// Plan is the work at each value. Where Server is set, its URL has
	// {listen} in place of host and port.
	Plan Plan `json:"plan"`
	// Variable is size, chunk, range, streams, files, parallel or rate, whose
	// values those of the plan's fields are; or any other name, whose values only
	// Server knows.
	Variable string   `json:"variable"`
	Values   []string `json:"values"`
	Repeats  int      `json:"repeats"`
	// Budget is about how many bytes each stream moves at each size, in place of
	// the plan's Files; 0 leaves those.
	Budget int64 `json:"budget_bytes,omitzero"`
	// Server is started for each value, and stopped after it.
	Server *Launch `json:"server,omitempty"`
}

// Bounds of the files that come of a budget.
const (
	fewestFiles = 3
	mostFiles   = 1000
)

// Validate returns all that is wrong with the plan, nil if nothing is.
func (p SweepPlan) Validate() error {
	var f faults
	f.add(len(p.Values) == 0, "values: there are none")
	f.add(p.Repeats < 1, "repeats: %d is less than 1", p.Repeats)
	f.add(p.Budget < 0 || p.Budget > 0 && p.Variable != "size", "budget: means nothing to %s, only to size", p.Variable)
	for _, value := range p.Values {
		plan, err := p.at(value)
		if err == nil && p.Server != nil {
			plan.URL = p.Server.url(plan.URL, "127.0.0.1:1")
		}
		if err == nil {
			err = plan.Validate()
		}
		f.add(err != nil, "%s: %w", labelOf(p.Variable, value), err)
	}
	return f.join()
}

// at returns the plan at one value.
func (p SweepPlan) at(value string) (plan Plan, err error) {
	plan = p.Plan
	switch p.Variable {
	case "size":
		plan.Size, err = payload.ParseSizes(value)
		if p.Budget > 0 {
			plan.Files = int(min(max(p.Budget/max(1, plan.Size.Max()), fewestFiles), mostFiles))
		}
	case "chunk":
		plan.Chunk, err = payload.ParseSize(value)
	case "range":
		plan.Range, err = payload.ParseSize(value)
	case "streams":
		plan.Streams, err = strconv.Atoi(value)
	case "files":
		plan.Files, err = strconv.Atoi(value)
	case "parallel":
		plan.Parallel, err = strconv.Atoi(value)
	case "rate":
		plan.Rate, err = strconv.ParseFloat(value, 64)
	default:
		if p.Server == nil {
			err = fmt.Errorf("no such variable, and no server that would know it")
		}
	}
	return plan, err
}

// String returns the plan in one line.
func (p SweepPlan) String() string {
	plan, _ := p.at(p.Values[0]) // which is valid
	return fmt.Sprintf("%s, with %s %s", plan, p.Variable, strings.Join(p.Values, ", "))
}

// Sweep runs the work at each value. The rows of a value are labelled
// "variable=value". Progress, errors and the end of ctx are as with [Measure].
func Sweep(ctx context.Context, plan SweepPlan, sink record.Sink, progress io.Writer) error {
	if err := plan.Validate(); err != nil {
		return err
	}
	points, err := startPoints(plan.String(), plan, plan.Plan.Seed, sink, progress)
	if err != nil {
		return err
	}
	defer points.end()
	for _, value := range plan.Values {
		if err := plan.point(ctx, points, value); err != nil {
			return fmt.Errorf("%s: %w", labelOf(plan.Variable, value), err)
		}
	}
	return nil
}

// point runs the work at one value.
func (p SweepPlan) point(ctx context.Context, points *points, value string) error {
	at, err := p.at(value)
	if err != nil {
		return err
	}
	if p.Server != nil {
		server, err := p.Server.start(ctx, value)
		if err != nil {
			return err
		}
		defer server.stop()
		at.URL, at.PIDs = p.Server.url(at.URL, server.address), []int{server.pid()}
	}
	_, err = points.run(ctx, labelOf(p.Variable, value), at, p.Repeats)
	return err
}
