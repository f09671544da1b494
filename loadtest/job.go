package loadtest

import (
	"net/url"

	"sluice/loadtest/payload"
	"sluice/loadtest/record"
)

// job is one file to move, and what has become of it.
type job struct {
	plan     *Plan
	target   *url.URL // of the plan
	name     string
	file     payload.File
	buffer   func() []byte // to receive through
	prepared *job          // of the same stream, nil in a job that prepares

	row   *record.Transfer
	tally tally
	err   error

	made    bool     // there may be something to remove
	stored  *url.URL // where the server says that the file is, nil if it doesn't
	upload  *url.URL // of tus
	foreign bool     // the content is not ours
	stated  *uint64  // CRC-64 that the server stated
	sum     *uint64  // CRC-64 of foreign content
}

// url returns the URL of the job's file.
func (j *job) url() *url.URL {
	if j.plan.endpoint() || isFolder(j.target) {
		return j.target.JoinPath(j.name)
	}
	return j.target
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
	if u.Scheme != "http" {
		return nil, failure(record.KindProtocol, nil, "answer: location %q is not http", reference)
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

// conclude completes the row after the timed section. The digest that the
// server stated is held against the content only now because that costs.
func (j *job) conclude() {
	if j.err == nil {
		j.err = j.checkDigest()
	}
	j.row.Bytes = j.tally.bytes
	if j.err != nil {
		j.row.Error = asError(j.err)
	}
}

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
