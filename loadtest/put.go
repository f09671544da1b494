package loadtest

import "net/http"

// put uploads by PUT (RFC 9110, section 9.3.4).
type put struct{}

func (put) prepare(*session, *runner) error { return nil }

func (put) run(s *session, j *job) error {
	u := j.url()
	j.row.URL = u.String()
	j.leave(u, false)
	a, err := s.exchange(&request{
		method: http.MethodPut,
		url:    u,
		header: []string{"Content-Type: application/octet-stream"},
		body:   wholeFile(j.file),
	}, &j.tally)
	if err != nil {
		return err
	}
	j.row.Status = a.status
	if !a.ok() {
		j.left = nil
		return unexpected(a, "put")
	}
	if folder := j.plan.SyncFolder; folder != "" {
		if err := syncStored(j, folder); err != nil {
			return err
		}
	}
	return j.state(a.header.Get("Repr-Digest"))
}
