package loadtest

import (
	"fmt"
	"net/http"
	"strings"
)

// Scenarios are the names of all scenarios.
var Scenarios = []string{"put", "form", "tus", "get", "small", "mixed", "slow", "soak", "resume"}

// scenario is one way of moving files. One value serves all streams of a run.
// What it leaves on the server stands in the job, and is removed by the runner.
type scenario interface {
	// prepare makes the server ready, once, before anything is timed.
	prepare(*session, *runner) error
	// run moves one file. Only this is timed.
	run(*session, *job) error
}

// newScenario returns the scenario of a plan.
func newScenario(p Plan) (scenario, error) {
	switch p.Scenario {
	case "put":
		return put{}, nil
	case "form":
		return form{}, nil
	case "tus":
		return tus{}, nil
	case "get":
		return &get{}, nil
	case "small": // many small files, by the way of another scenario
		p.Scenario = p.way()
		return newScenario(p)
	case "mixed", "slow", "soak":
		return newMixed(p), nil
	case "resume":
		return &resume{}, nil
	}
	return nil, fmt.Errorf("scenario: %q is none of %s", p.Scenario, strings.Join(Scenarios, ", "))
}

// remove deletes a file. One that isn't there needs no deleting.
func remove(s *session, file stored) error {
	a, err := s.exchange(&request{method: http.MethodDelete, url: file.url, header: file.header()}, &tally{})
	if err != nil {
		return err
	}
	gone := a.status == http.StatusNotFound || a.status == http.StatusGone
	if !a.ok() && !gone {
		return unexpected(a, "delete "+file.url.Path)
	}
	return nil
}
