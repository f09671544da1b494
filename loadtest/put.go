package loadtest

import "net/http"

// put uploads by PUT (RFC 9110, section 9.3.4).
type put struct{}

func (put) prepare(*session, *job) error { return nil }

func (put) run(s *session, j *job) error {
	j.row.URL = j.url().String()
	j.made = true
	a, err := s.exchange(&request{
		method: http.MethodPut,
		url:    j.url(),
		header: []string{"Content-Type: application/octet-stream"},
		body:   wholeFile(j.file),
	}, &j.tally)
	if err != nil {
		return err
	}
	j.row.Status = a.status
	if !a.ok() {
		j.made = false
		return unexpected(a, "put")
	}
	if folder := j.plan.SyncFolder; folder != "" {
		if err := syncStored(j, folder); err != nil {
			return err
		}
	}
	return j.state(a.header.Get("Repr-Digest"))
}

func (put) cleanup(s *session, j *job) error { return remove(s, j.url()) }
