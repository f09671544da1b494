package loadtest

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"

	"sluice/loadtest/payload"
	"sluice/loadtest/record"
)

// form uploads as a browser does: POST of multipart/form-data (RFC 7578) with
// one part, called "file".
type form struct{}

func (form) prepare(*session, *runner) error { return nil }

func (form) run(s *session, j *job) error {
	body, contentType, err := formBody(j.name, j.file)
	if err != nil {
		return err
	}
	j.row.URL = j.target.String()
	j.leave(j.url(), false)
	a, err := s.exchange(&request{
		method: http.MethodPost,
		url:    j.target,
		header: []string{"Content-Type: " + contentType, "Accept: application/json"},
		body:   body,
	}, &j.tally)
	if err != nil {
		return err
	}
	j.row.Status = a.status
	if !a.ok() {
		j.left = nil
		return unexpected(a, "post")
	}
	if err := j.state(a.header.Get("Repr-Digest")); err != nil {
		return err
	}
	return j.readFormAnswer(a.body)
}

// formBody frames the file with what mime/multipart writes around a part.
func formBody(name string, file payload.File) (body, string, error) {
	var frame bytes.Buffer
	w := multipart.NewWriter(&frame)
	if _, err := w.CreateFormFile("file", name); err != nil {
		return body{}, "", err
	}
	b := wholeFile(file)
	b.prefix = bytes.Clone(frame.Bytes())
	frame.Reset()
	if err := w.Close(); err != nil {
		return body{}, "", err
	}
	b.suffix = frame.Bytes()
	return b, w.FormDataContentType(), nil
}

// readFormAnswer reads the JSON answer of a server that lists the files it
// stored. Others may answer whatever they like.
func (j *job) readFormAnswer(raw []byte) error {
	var answer struct {
		Files []struct {
			URL    string
			Size   *int64
			Digest string
		}
	}
	if json.Unmarshal(raw, &answer) != nil || len(answer.Files) == 0 {
		return nil
	}
	stored := answer.Files[0]
	u, err := j.resolve(stored.URL)
	if err != nil {
		return err
	}
	j.left = nil
	j.leave(u, false)
	if stored.Size != nil && *stored.Size != j.file.Size() {
		return failure(record.KindShort, nil, "server stored %d of %d bytes", *stored.Size, j.file.Size())
	}
	return j.state(stored.Digest)
}
