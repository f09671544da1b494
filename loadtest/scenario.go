package loadtest

import (
	"fmt"
	"net/http"
	"net/url"
)

// scenario is one way of moving files. One value serves all streams of a run.
type scenario interface {
	// prepare makes the server ready for a stream, once, before anything is
	// timed. What run needs of it stands in the job.
	prepare(*session, *job) error
	// run moves one file. Only this is timed.
	run(*session, *job) error
	// cleanup removes the file that a job with made set left on the server.
	cleanup(*session, *job) error
}

func newScenario(name string) (scenario, error) {
	switch name {
	case "put":
		return put{}, nil
	case "form":
		return form{}, nil
	case "tus":
		return tus{}, nil
	case "get":
		return &get{}, nil
	}
	return nil, fmt.Errorf("scenario: %q is none of put, form, tus, get", name)
}

// remove deletes a file. One that isn't there needs no deleting.
func remove(s *session, u *url.URL, header ...string) error {
	a, err := s.exchange(&request{method: http.MethodDelete, url: u, header: header}, &tally{})
	if err != nil {
		return err
	}
	gone := a.status == http.StatusNotFound || a.status == http.StatusGone
	if !a.ok() && !gone {
		return unexpected(a, "delete "+u.Path)
	}
	return nil
}
