package loadtest

import (
	"net/url"
	"sync"

	"sluice/loadtest/payload"
)

// stored is a file that the tester has left on the server.
type stored struct {
	file payload.File
	url  *url.URL
	// upload says that it is removed as a tus upload.
	upload bool
}

// header is what a request for it needs.
func (s stored) header() []string {
	if s.upload {
		return []string{tusVersion}
	}
	return nil
}

// catalogue is all that the tester has left on a server. It is safe for
// concurrent use.
type catalogue struct {
	mu     sync.Mutex
	whole  []stored // files that can be read
	scraps []stored // what may be there besides, of transfers that failed
	bytes  int64    // of whole files
}

// add takes down what job has left.
func (c *catalogue) add(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := j.left
	if j.err == nil && len(left) > 0 {
		file := left[len(left)-1]
		c.whole = append(c.whole, file)
		c.bytes += file.file.Size()
		left = left[:len(left)-1]
	}
	c.scraps = append(c.scraps, left...)
}

// size returns the bytes of the whole files.
func (c *catalogue) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// take empties the catalogue and returns what was in it.
func (c *catalogue) take() []stored {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := append(c.whole, c.scraps...)
	c.whole, c.scraps, c.bytes = nil, nil, 0
	return all
}
