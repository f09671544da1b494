package loadtest

import (
	"net/http"
	"sync"

	"github.com/minio/crc64nvme"

	"sluice/loadtest/payload"
	"sluice/loadtest/record"
)

// get downloads, whole or in ranges. A file that is there already is taken as it
// is; else the tester puts files of its own, whose every byte it can check.
type get struct {
	foreign bool // the file is not ours

	mu    sync.Mutex
	first *uint64 // CRC-64 of the foreign file's first download
}

func (g *get) prepare(s *session, r *runner) error {
	if !isFolder(r.target) {
		found, err := g.find(s, r)
		if err != nil || found {
			return err
		}
	}
	return r.fill(s)
}

// find looks for a file at the plan's URL and takes its length for the plan's.
func (g *get) find(s *session, r *runner) (bool, error) {
	a, err := s.exchange(&request{method: http.MethodHead, url: r.target}, &tally{})
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
	g.foreign = true
	r.plan.Size = payload.Fixed(a.length)
	r.prepared = []stored{{file: r.source.File(0, a.length), url: r.target}}
	return true, nil
}

// fill puts the files that downloads ask for.
func (r *runner) fill(s *session) error {
	for index := range r.plan.objects(r.target) {
		j := r.newJob(order{stream: index})
		j.tally.all = nil
		err := put{}.run(s, j)
		if err == nil {
			err = j.checkDigest()
		}
		r.prepared = append(r.prepared, j.left...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *get) run(s *session, j *job) error {
	j.file = j.object.file
	j.row.URL = j.object.url.String()
	w := want{object: j.object, to: j.file.Size()}
	var sum uint64
	switch {
	case g.foreign && j.plan.Verify:
		w.check = func(p []byte) error { sum = crc64nvme.Update(sum, p); return nil }
	case j.plan.Verify:
		w.check = w.compare()
	}
	if err := g.pieces(s, j, w); err != nil {
		return err
	}
	switch {
	case !j.plan.Verify:
	case g.foreign:
		return g.same(j, sum)
	default:
		j.row.Checked = record.CheckedContent
	}
	return nil
}

// pieces asks for the whole file, or for one range after the other.
func (g *get) pieces(s *session, j *job, w want) error {
	step := j.plan.Range
	if step == 0 || w.to == 0 {
		return s.download(w, j)
	}
	w.ranged = true
	for size := w.to; w.from < size; w.from += step {
		w.to = min(w.from+step, size)
		if err := s.download(w, j); err != nil {
			return err
		}
	}
	return nil
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

func mismatch(offset int64, format string, args ...any) *record.Error {
	e := failure(record.KindMismatch, nil, format, args...)
	e.Offset = offset
	return e
}
