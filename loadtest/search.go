package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"sluice/loadtest/record"
)

// RatePlan is the search for the highest rate that a server sustains: at which
// no transfer fails, and as many end as begin.
type RatePlan struct {
	// Plan is the work, at most Streams at once. Its Rate and Duration are those
	// of the search.
	Plan Plan `json:"plan"`
	// From is the rate of the first probe, per second, and To the highest one.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Probe is how long each probe lasts, Precision the ratio of the lowest rate
	// that is not sustained to the highest that is at which the search ends.
	Probe     time.Duration `json:"probe_ns"`
	Precision float64       `json:"precision"`
}

// ErrNotSustained says that not even the first rate of a search was sustained.
var ErrNotSustained = errors.New("rate not sustained")

// Validate returns all that is wrong with the plan, nil if nothing is.
func (p RatePlan) Validate() error {
	var f faults
	f.add(!(p.From > 0 && p.To >= p.From) || math.IsInf(p.To, 0), "from, to: %v, %v is no range of rates", p.From, p.To)
	f.add(p.Probe <= 0, "probe: %v is not positive", p.Probe)
	f.add(!(p.Precision > 1), "precision: %v is not above 1", p.Precision)
	f.add(p.Plan.Rate != 0 || p.Plan.Duration != 0 || p.Plan.Files != 0, "rate, duration, files: the search decides them")
	err := p.at(1).Validate()
	f.add(err != nil, "%w", err)
	return f.join()
}

// at returns the plan of a probe.
func (p RatePlan) at(rate float64) Plan {
	plan := p.Plan
	plan.Rate, plan.Duration = rate, p.Probe
	return plan
}

// String returns the plan in one line.
func (p RatePlan) String() string {
	return fmt.Sprintf("%s, the highest rate sustained from %g to %g", p.at(p.From), p.From, p.To)
}

// FindRate doubles the rate until it is not sustained, then halves the interval,
// and returns the highest rate that was. The rows of a probe are labelled
// "rate=..."; those of probes that were too much may have failed. Progress, other
// errors and the end of ctx are as with [Measure].
func FindRate(ctx context.Context, plan RatePlan, sink record.Sink, progress io.Writer) (float64, error) {
	if err := plan.Validate(); err != nil {
		return 0, err
	}
	points, err := startPoints(plan.String(), plan, plan.Plan.Seed, sink, progress)
	if err != nil {
		return 0, err
	}
	defer points.end()
	good, bad := 0.0, math.Inf(1)
	for rate := plan.From; ; {
		rows, err := points.run(ctx, labelOf("rate", rate), plan.at(rate), 1)
		if err != nil {
			return good, err
		}
		if rows[0].Sustained() {
			good = rate
		} else {
			bad = rate
		}
		switch {
		case good == 0:
			return 0, fmt.Errorf("%w: not even %g per second", ErrNotSustained, plan.From)
		case good >= plan.To || bad/good <= plan.Precision:
			return good, nil
		case math.IsInf(bad, 1):
			rate = min(2*good, plan.To)
		default:
			rate = rounded(math.Sqrt(good * bad))
			if rate <= good || rate >= bad {
				return good, nil
			}
		}
	}
}

// rounded returns a rate with three digits.
func rounded(rate float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(rate))-2)
	return math.Round(rate/unit) * unit
}
