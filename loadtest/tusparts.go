package loadtest

import (
	"errors"
	"strings"
	"sync"
)

// joined uploads the file in parts at once, each over a connection of its own,
// and has the server join them (the extension "concatenation").
func (t tus) joined(s *session, j *job, count int64) error {
	parts := make([]tusUpload, count)
	tallies := make([]tally, count)
	faults := make([]error, count)
	size := j.file.Size()
	var sending sync.WaitGroup
	for i := range parts {
		parts[i] = tusUpload{
			job: j, from: size * int64(i) / count, to: size * int64(i+1) / count,
			deferred: j.plan.Deferred, header: []string{"Upload-Concat: partial"},
		}
		tallies[i].all = j.tally.all
		session := s.part(i)
		sending.Go(func() { _, faults[i] = parts[i].send(session, &tallies[i]) })
	}
	sending.Wait()
	var urls []string
	for i := range parts {
		j.tally.merge(tallies[i])
		if parts[i].url != nil {
			j.leave(parts[i].url, true)
			urls = append(urls, parts[i].url.String())
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	a, err := tusPost(s, &j.tally, j, []string{t.metadata(j), "Upload-Concat: final;" + strings.Join(urls, " ")})
	if err != nil {
		return err
	}
	u, err := j.resolve(a.header.Get("Location"))
	if err != nil {
		return err
	}
	j.leave(u, true)
	return t.finish(j, a)
}

// merge adds what moved at the same time as part of the same file.
func (t *tally) merge(part tally) {
	t.bytes += part.bytes
	t.connect += part.connect
	if t.moved.IsZero() || part.moved.Before(t.moved) {
		t.moved = part.moved
	}
}
