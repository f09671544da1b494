package loadtest

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"sluice/loadtest/record"
)

// resume has the connection cut at random offsets of each file, and goes on: an
// upload by tus from where HEAD says that the server stands, a download from the
// last byte that came and was right.
type resume struct{}

// lockedPause is the time between two looks at an upload that the server still
// thinks somebody else is writing.
const lockedPause = 50 * time.Millisecond

func (r *resume) prepare(s *session, runner *runner) error {
	if runner.plan.way() == "get" {
		return runner.fill(s)
	}
	return nil
}

func (r *resume) run(s *session, j *job) error {
	if j.row.Direction == record.Down {
		return r.download(s, j)
	}
	return r.upload(s, j)
}

// cuts returns the offsets at which a file of that size is cut.
func (j *job) cuts(size int64) []int64 {
	var offsets []int64
	for i := range j.plan.Cuts {
		if at := int64(j.draw(drawCut+uint64(i)) * float64(size)); at > 0 {
			offsets = append(offsets, at)
		}
	}
	slices.Sort(offsets)
	return slices.Compact(offsets)
}

func (r *resume) download(s *session, j *job) error {
	j.file = j.object.file
	j.row.URL = j.object.url.String()
	size := j.file.Size()
	var offset int64
	for _, cut := range append(j.cuts(size), size) {
		if cut < offset {
			continue // more had come at once
		}
		w := want{object: j.object, from: offset, to: size, ranged: offset > 0}
		compare := w.compare()
		w.check = func(p []byte) error {
			if err := compare(p); err != nil {
				return err
			}
			offset += int64(len(p))
			if offset >= cut && offset < size {
				return errCut
			}
			return nil
		}
		err := s.download(w, j)
		if err == nil {
			break
		}
		if !errors.Is(err, errCut) {
			return err
		}
		j.row.Resumed++
	}
	j.row.Checked = record.CheckedContent
	j.resent = j.tally.bytes - size
	return nil
}

func (r *resume) upload(s *session, j *job) error {
	j.row.URL = j.target.String()
	size := j.file.Size()
	u := tusUpload{job: j, to: size, header: []string{tus{}.metadata(j)}}
	last, err := u.create(s, &j.tally)
	if u.url != nil {
		j.leave(u.url, true)
	}
	if err != nil {
		return err
	}
	var offset int64
	interrupted := 0
	for cuts := j.cuts(size); offset < size; {
		cuts = slices.DeleteFunc(cuts, func(cut int64) bool { return cut <= max(offset, u.reached) })
		end := size
		if len(cuts) > 0 {
			end = cuts[0]
			err = u.sendUntil(s, offset, end)
		} else if last, err = u.patch(s, &j.tally, offset, end); err == nil {
			break
		}
		if isInterrupted(err) {
			interrupted++
		}
		if err != nil && !behind(err) && (!isInterrupted(err) || interrupted > mostInterrupted) {
			return err
		}
		if err == nil {
			j.row.Resumed++
			u.reached = max(u.reached, end)
		}
		if offset, err = u.goOn(s, offset, err != nil); err != nil {
			return err
		}
	}
	j.resent = j.tally.bytes - size
	return tus{}.finish(j, last)
}

// behind says that the server still thinks somebody else is writing, or has found
// more of what was cut than when it was asked.
func behind(err error) bool {
	status := asError(err).Status
	return status == http.StatusLocked || status == http.StatusConflict
}

// mostInterrupted bounds how often the PATCHes of one file may be ended by others.
const mostInterrupted = 5

// isInterrupted says that a PATCH was refused as one is that another request for the
// upload has ended: one whose connection was cut may reach the server after the next
// has begun, and tusd's answer to the latter is 400.
func isInterrupted(err error) bool {
	return err != nil && asError(err).Status == http.StatusBadRequest
}

// sendUntil begins a PATCH of all the rest and cuts the connection at an offset.
func (u *tusUpload) sendUntil(s *session, from, cut int64) error {
	a, err := s.exchange(&request{
		method: http.MethodPatch, url: u.url, header: u.patchHeader(from),
		body: body{file: u.job.file, from: from, to: u.to, cut: cut},
	}, &u.job.tally)
	switch {
	case errors.Is(err, errCut):
		return nil
	case err != nil:
		return err
	default:
		u.job.setStatus(a.status)
		return unexpected(a, "patch")
	}
}

// goOn asks where the server stands, which was at a byte before, after a pause if
// it is behind.
func (u *tusUpload) goOn(s *session, before int64, pause bool) (int64, error) {
	for began := time.Now(); ; {
		if pause {
			if time.Since(began) > s.timeout {
				return 0, failure(record.KindTimeout, nil, "head: upload still in use after %v", s.timeout)
			}
			if !sleep(s.ctx, lockedPause) {
				return 0, s.ctx.Err()
			}
		}
		a, err := s.exchange(&request{method: http.MethodHead, url: u.url, header: []string{tusVersion}}, &u.job.tally)
		if err != nil {
			return 0, err
		}
		u.job.setStatus(a.status)
		if pause = a.status == http.StatusLocked; pause {
			continue
		}
		if !a.ok() {
			return 0, unexpected(a, "head")
		}
		offset, err := uploadOffset(a, "head")
		if err == nil && (offset < before || offset > u.reached) {
			err = failure(record.KindProtocol, nil, "head: server stands at byte %d, not from %d to %d", offset, before, u.reached)
		}
		return offset, err
	}
}
