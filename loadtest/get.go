package loadtest

import (
	"net/http"
	"sync"

	"github.com/minio/crc64nvme"

	"sluice/loadtest/record"
)

// get downloads. A file that is there already is taken as it is; else the tester
// puts one of its own, whose every byte it can check.
type get struct {
	mu    sync.Mutex
	first *uint64 // CRC-64 of the foreign file's first download
}

func (g *get) prepare(s *session, j *job) error {
	if !isFolder(j.target) {
		found, err := g.find(s, j)
		if err != nil || found {
			return err
		}
	}
	return put{}.run(s, j)
}

// find looks for a file at the plan's URL and takes its length for the job's.
func (g *get) find(s *session, j *job) (bool, error) {
	a, err := s.exchange(&request{method: http.MethodHead, url: j.url()}, &tally{})
	if err != nil {
		return false, err
	}
	if a.status == http.StatusNotFound {
		return false, nil
	}
	if a.status != http.StatusOK {
		return false, unexpected(a, "head")
	}
	if a.length < 0 {
		return false, failure(record.KindProtocol, nil, "head: answer without Content-Length")
	}
	j.foreign = true
	j.file = j.file.WithSize(a.length)
	return true, nil
}

func (g *get) run(s *session, j *job) error {
	j.file, j.foreign = j.prepared.file, j.prepared.foreign
	u := j.prepared.url()
	j.row.URL = u.String()
	response, err := s.fetch(&request{
		method: http.MethodGet,
		url:    u,
		header: []string{"Want-Repr-Digest: " + digestKey + "=10"},
	})
	if err != nil {
		return err
	}
	j.row.Status = response.StatusCode
	if response.StatusCode != http.StatusOK {
		a, err := readAnswer(response)
		if err != nil {
			return s.conn.lost(err, 0, 0)
		}
		return unexpected(a, "get")
	}
	if err := g.receive(s, j, response); err != nil {
		return err
	}
	return j.state(response.Header.Get("Repr-Digest"))
}

// receive reads the body and holds it against what the file must be.
func (g *get) receive(s *session, j *job, response *http.Response) error {
	size := j.file.Size()
	if promised := response.ContentLength; promised >= 0 && promised < size {
		return failure(record.KindShort, nil, "server promises %d of %d bytes", promised, size)
	}
	var sum uint64
	check := func(p []byte) error { return j.compare(p) }
	switch {
	case !j.plan.Verify:
		check = nil
	case j.foreign:
		check = func(p []byte) error { sum = crc64nvme.Update(sum, p); return nil }
	}
	if err := s.conn.receive(response, j.buffer(), check, &j.tally); err != nil {
		return err
	}
	switch got := j.tally.bytes; {
	case got < size:
		return failure(record.KindShort, nil, "received %d of %d bytes", got, size)
	case got > size:
		return mismatch(size, "received %d bytes of a file of %d", got, size)
	}
	if j.plan.Verify && j.foreign {
		return g.same(j, sum)
	}
	if j.plan.Verify {
		j.row.Checked = record.CheckedContent
	}
	return nil
}

// compare holds p, the last bytes received, against the file.
func (j *job) compare(p []byte) error {
	offset := j.file.Mismatch(j.tally.bytes-int64(len(p)), p)
	if offset < 0 {
		return nil
	}
	return mismatch(offset, "first wrong byte at offset %d", offset)
}

// same holds the sum of a foreign file against that of its first download: what
// it must contain nobody knows, but it must not change.
func (g *get) same(j *job, sum uint64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	j.sum = &sum
	if g.first == nil {
		g.first = &sum
		return nil
	}
	j.row.Checked = record.CheckedSame
	if *g.first != sum {
		return mismatch(0, "content has changed since the first download")
	}
	return nil
}

func (g *get) cleanup(s *session, j *job) error { return remove(s, j.url()) }

func mismatch(offset int64, format string, args ...any) *record.Error {
	e := failure(record.KindMismatch, nil, format, args...)
	e.Offset = offset
	return e
}
