package loadtest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"sluice/loadtest/record"
)

// tusVersion stands in every request of the tus protocol.
const tusVersion = "Tus-Resumable: 1.0.0"

// tus uploads by the tus protocol 1.0: a creation, then one PATCH or several; or
// so for each of several parts at once, which are joined.
type tus struct{}

func (tus) prepare(*session, *runner) error { return nil }

func (t tus) run(s *session, j *job) error {
	j.row.URL = j.target.String()
	size := j.file.Size()
	if parts := int64(j.plan.Parallel); parts > 1 && size >= parts {
		return t.joined(s, j, parts)
	}
	u := tusUpload{job: j, to: size, deferred: j.plan.Deferred, header: []string{t.metadata(j)}}
	last, err := u.send(s, &j.tally)
	if u.url != nil {
		j.leave(u.url, true)
	}
	if err != nil {
		return err
	}
	return t.finish(j, last)
}

func (tus) metadata(j *job) string {
	return "Upload-Metadata: filename " + base64.StdEncoding.EncodeToString([]byte(j.name))
}

// finish takes down what the last answer tells of the finished file.
func (tus) finish(j *job, last *answer) error {
	if location := last.header.Get("Content-Location"); location != "" {
		u, err := j.resolve(location)
		if err != nil {
			return err
		}
		j.left = j.left[:len(j.left)-1] // the upload has become the file
		j.leave(u, false)
	}
	return j.state(last.header.Get("Repr-Digest"))
}

// tusUpload is one upload of a stretch of the job's file.
type tusUpload struct {
	job      *job
	from, to int64
	deferred bool     // its length is told by the last PATCH only
	header   []string // of the creation

	url     *url.URL
	reached int64 // the furthest byte that was sent on a connection since cut
}

// send creates the upload, sends its bytes and returns the last answer.
func (u *tusUpload) send(s *session, t *tally) (last *answer, err error) {
	if last, err = u.create(s, t); err != nil {
		return nil, err
	}
	chunk := u.job.plan.Chunk
	if chunk == 0 {
		chunk = max(u.to-u.from, 1)
	}
	for offset := u.from; offset < u.to || u.deferred && offset == u.from; offset += chunk {
		if last, err = u.patch(s, t, offset, min(offset+chunk, u.to)); err != nil {
			return nil, err
		}
	}
	return last, nil
}

func (u *tusUpload) create(s *session, t *tally) (*answer, error) {
	length := fmt.Sprintf("Upload-Length: %d", u.to-u.from)
	if u.deferred {
		length = "Upload-Defer-Length: 1"
	}
	a, err := tusPost(s, t, u.job, append(u.header, length))
	if err != nil {
		return nil, err
	}
	u.url, err = u.job.resolve(a.header.Get("Location"))
	return a, err
}

// tusPost creates an upload.
func tusPost(s *session, t *tally, j *job, header []string) (*answer, error) {
	a, err := s.exchange(&request{method: http.MethodPost, url: j.target, header: append(header, tusVersion)}, t)
	if err != nil {
		return nil, err
	}
	j.setStatus(a.status)
	if a.status != http.StatusCreated {
		return nil, unexpected(a, "create")
	}
	return a, nil
}

func (u *tusUpload) patchHeader(from int64) []string {
	return []string{
		tusVersion,
		"Content-Type: application/offset+octet-stream",
		fmt.Sprintf("Upload-Offset: %d", from-u.from),
	}
}

// patch sends the bytes of the file from one offset to another.
func (u *tusUpload) patch(s *session, t *tally, from, to int64) (*answer, error) {
	header := u.patchHeader(from)
	if u.deferred && to == u.to {
		header = append(header, fmt.Sprintf("Upload-Length: %d", u.to-u.from))
	}
	a, err := s.exchange(&request{
		method: http.MethodPatch, url: u.url, header: header,
		body: body{file: u.job.file, from: from, to: to},
	}, t)
	if err != nil {
		return nil, err
	}
	u.job.setStatus(a.status)
	if !a.ok() {
		return nil, unexpected(a, "patch")
	}
	stands, err := uploadOffset(a, "patch")
	switch want := to - u.from; {
	case err != nil:
		return nil, err
	case stands > want:
		return nil, failure(record.KindProtocol, nil, "patch: Upload-Offset is %d, not %d", stands, want)
	case stands < want:
		return nil, failure(record.KindShort, nil, "patch: server stands at byte %d, not %d", stands, want)
	}
	return a, nil
}

// uploadOffset returns how much of an upload the server has.
func uploadOffset(a *answer, doing string) (int64, error) {
	field := a.header.Get("Upload-Offset")
	offset, err := strconv.ParseInt(field, 10, 64)
	if err != nil || offset < 0 {
		return 0, failure(record.KindProtocol, nil, "%s: Upload-Offset is %q", doing, field)
	}
	return offset, nil
}
