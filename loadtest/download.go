package loadtest

import (
	"fmt"
	"net/http"

	"sluice/loadtest/record"
)

// want is a stretch of a stored file that is to be downloaded.
type want struct {
	object   stored
	from, to int64
	ranged   bool               // it is asked for as a range
	check    func([]byte) error // of each piece that comes; nil if nobody looks
}

// compare returns a check that holds what comes, from the beginning of the
// stretch on, against the file.
func (w want) compare() func([]byte) error {
	next := w.from
	return func(p []byte) error {
		offset := w.object.file.Mismatch(next, p)
		next += int64(len(p))
		if offset < 0 {
			return nil
		}
		return mismatch(offset, "first wrong byte at offset %d", offset)
	}
}

func (w want) header() []string {
	header := append(w.object.header(), "Want-Repr-Digest: "+digestKey+"=10")
	if w.ranged {
		header = append(header, fmt.Sprintf("Range: bytes=%d-%d", w.from, w.to-1))
	}
	return header
}

// download gets what is wanted, and takes down what the server says of it in j.
func (s *session) download(w want, j *job) (err error) {
	defer func() {
		if err != nil {
			s.close() // what is left of the answer would be taken for the next one
		}
	}()
	response, err := s.fetch(&request{method: http.MethodGet, url: w.object.url, header: w.header()}, &j.tally)
	if err != nil {
		return err
	}
	j.row.Status = response.StatusCode
	if err := w.accept(s.conn, response); err != nil {
		return err
	}
	before := j.tally.bytes
	if err := s.conn.receive(response, j.buffer(), w.check, &j.tally); err != nil {
		return err
	}
	switch got, length := j.tally.bytes-before, w.to-w.from; {
	case got < length:
		return failure(record.KindShort, nil, "received %d of %d bytes", got, length)
	case got > length:
		return mismatch(w.to, "received %d bytes instead of %d", got, length)
	}
	if response.Close || s.closing {
		s.close()
	}
	return j.state(response.Header.Get("Repr-Digest"))
}

// accept looks at the head of the answer.
func (w want) accept(c *conn, response *http.Response) error {
	status := http.StatusOK
	if w.ranged {
		status = http.StatusPartialContent
	}
	if response.StatusCode != status {
		a, err := readAnswer(response)
		if err != nil {
			return c.lost(err, 0, 0)
		}
		return unexpected(a, "get")
	}
	length := w.to - w.from
	if promised := response.ContentLength; promised >= 0 && promised < length {
		return failure(record.KindShort, nil, "server promises %d of %d bytes", promised, length)
	}
	stretch := fmt.Sprintf("bytes %d-%d/%d", w.from, w.to-1, w.object.file.Size())
	if got := response.Header.Get("Content-Range"); w.ranged && got != stretch {
		return failure(record.KindProtocol, nil, "get: Content-Range is %q, not %q", got, stretch)
	}
	return nil
}
