package loadtest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"

	"sluice/loadtest/record"
)

// tusVersion stands in every request of the tus protocol.
const tusVersion = "Tus-Resumable: 1.0.0"

// tus uploads by the tus protocol 1.0: a creation, then one PATCH or several.
type tus struct{}

func (tus) prepare(*session, *job) error { return nil }

func (t tus) run(s *session, j *job) error {
	last, err := t.create(s, j)
	if err != nil {
		return err
	}
	size := j.file.Size()
	chunk := j.plan.Chunk
	if chunk == 0 {
		chunk = size
	}
	for offset := int64(0); offset < size; offset += chunk {
		if last, err = t.patch(s, j, offset, min(offset+chunk, size)); err != nil {
			return err
		}
	}
	if location := last.header.Get("Content-Location"); location != "" {
		if j.stored, err = j.resolve(location); err != nil {
			return err
		}
	}
	return j.state(last.header.Get("Repr-Digest"))
}

func (tus) create(s *session, j *job) (*answer, error) {
	j.row.URL = j.target.String()
	a, err := s.exchange(&request{
		method: http.MethodPost,
		url:    j.target,
		header: []string{
			tusVersion,
			fmt.Sprintf("Upload-Length: %d", j.file.Size()),
			"Upload-Metadata: filename " + base64.StdEncoding.EncodeToString([]byte(j.name)),
		},
	}, &j.tally)
	if err != nil {
		return nil, err
	}
	j.row.Status = a.status
	if a.status != http.StatusCreated {
		return nil, unexpected(a, "create")
	}
	j.upload, err = j.resolve(a.header.Get("Location"))
	j.made = err == nil
	return a, err
}

func (tus) patch(s *session, j *job, from, to int64) (*answer, error) {
	a, err := s.exchange(&request{
		method: http.MethodPatch,
		url:    j.upload,
		header: []string{
			tusVersion,
			"Content-Type: application/offset+octet-stream",
			fmt.Sprintf("Upload-Offset: %d", from),
		},
		body: body{file: j.file, from: from, to: to},
	}, &j.tally)
	if err != nil {
		return nil, err
	}
	j.row.Status = a.status
	if !a.ok() {
		return nil, unexpected(a, "patch")
	}
	offset, err := strconv.ParseInt(a.header.Get("Upload-Offset"), 10, 64)
	switch {
	case err != nil || offset > to:
		return nil, failure(record.KindProtocol, nil, "patch: Upload-Offset is %q, not %d", a.header.Get("Upload-Offset"), to)
	case offset < to:
		return nil, failure(record.KindShort, nil, "patch: server stands at byte %d, not %d", offset, to)
	}
	return a, nil
}

// cleanup deletes the finished file where the server says where it is, and else
// the upload itself.
func (tus) cleanup(s *session, j *job) error {
	if j.stored != nil {
		return remove(s, j.stored)
	}
	return remove(s, j.upload, tusVersion)
}
