package loadtest

import (
	"net/url"
	"sync"
	"time"

	"sluice/loadtest/payload"
	"sluice/loadtest/record"
)

// order is one transfer to be made: of which file, and when.
type order struct {
	stream, index int           // that name the file
	due           time.Duration // after the start signal, negative for at once
}

// job is one file to move, and what has become of it.
type job struct {
	plan   *Plan
	target *url.URL // of the plan
	name   string
	source *payload.Source
	number uint64 // of the file
	file   payload.File
	buffer func() []byte // to receive through
	object stored        // that a download asks for

	row    *record.Transfer
	tally  tally
	resent int64 // bytes that moved more than once
	err    error

	mu sync.Mutex // guards the status of the row while parts move at the same time

	left   []stored // on the server, perhaps; the last one is the file
	stated *uint64  // CRC-64 that the server stated
	sum    *uint64  // CRC-64 of content that is not ours
}

// What is drawn for a file; each cut has a number of its own.
const (
	drawSize = iota
	drawWay
	drawObject
	drawCut
)

// draw returns the number from 0 up to 1 that stands for the file and a purpose.
func (j *job) draw(purpose uint64) float64 { return j.source.Draw(j.number, purpose) }

// url returns the URL of the job's file.
func (j *job) url() *url.URL {
	if j.plan.endpoint() || isFolder(j.target) {
		return j.target.JoinPath(j.name)
	}
	return j.target
}

// leave says that from now on there may be something under u.
func (j *job) leave(u *url.URL, upload bool) {
	j.left = append(j.left, stored{file: j.file, url: u, upload: upload})
}

// setStatus takes down the status of an answer.
func (j *job) setStatus(status int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.row.Status = status
}

// resolve returns the URL that a server's answer refers to.
func (j *job) resolve(reference string) (*url.URL, error) {
	if reference == "" {
		return nil, failure(record.KindProtocol, nil, "answer without a location")
	}
	u, err := j.target.Parse(reference)
	if err != nil {
		return nil, failure(record.KindProtocol, err, "answer")
	}
	if u.Scheme != j.target.Scheme {
		return nil, failure(record.KindProtocol, nil, "answer: location %q is not %s", reference, j.target.Scheme)
	}
	return u, nil
}

// state takes down the digest that the server states in field.
func (j *job) state(field string) error {
	sum, ok, err := ParseDigest(field)
	if err != nil {
		return failure(record.KindProtocol, err, "answer")
	}
	if ok {
		j.stated = &sum
	}
	return nil
}

// time takes down in the row how long the parts of the transfer took that
// started at start.
func (j *job) time(start time.Time) {
	j.row.Seconds = time.Since(start).Seconds()
	first := j.tally.answered
	if j.row.Direction == record.Down && !j.tally.moved.IsZero() {
		first = j.tally.moved
	}
	if !first.IsZero() {
		j.row.FirstByte = first.Sub(start).Seconds()
	}
	if j.row.Direction == record.Up && j.tally.answered.After(j.tally.sent) {
		j.row.Finish = j.tally.answered.Sub(j.tally.sent).Seconds()
	}
	j.row.Connect = j.tally.connect.Seconds()
}

// checkDigest holds the digest that the server stated against the content. That
// costs, so it is left until after the timed section.
func (j *job) checkDigest() error {
	if !j.plan.Verify || j.stated == nil {
		return nil
	}
	sum := j.sum
	if sum == nil {
		crc := j.file.CRC64()
		sum = &crc
	}
	if *sum != *j.stated {
		return mismatch(0, "server states %s, the content has %s", FormatDigest(*j.stated), FormatDigest(*sum))
	}
	if j.row.Checked != record.CheckedContent {
		j.row.Checked = record.CheckedDigest
	}
	return nil
}
