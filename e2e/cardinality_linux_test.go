package e2e_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Whatever clients send, the metrics stay as long as they were: no path, method,
// name, id or address of theirs makes a series that stays.
//
// https://github.com/artifact-keeper/artifact-keeper/issues/2220
// https://github.com/sigstore/timestamp-authority/pull/1374
func TestCardinality(t *testing.T) {
	t.Parallel()
	const workers, growth = 16, 50
	s := startShipped(t, "--trusted-proxies", "127.0.0.1", "--durability", "none")
	before := bytes.Count(s.metricsText(), []byte("\n"))
	c := s.client()
	for _, flood := range []struct {
		name string
		n    int
		ask  func() (answer, error)
		want int
	}{
		{"paths", 5000, func() (answer, error) { return c.do("GET", "/"+random(), nil, 0) }, 404},
		{"methods", 2000, func() (answer, error) { return c.do(strings.ToUpper(random()), "/files/", nil, 0) }, 501},
		{"names", 2000, func() (answer, error) { return c.do("PUT", "/files/"+random(), strings.NewReader("x"), 1) }, 201},
		{"ids", 2000, func() (answer, error) { return c.do("HEAD", "/tus/"+random(), nil, 0, tusVersion) }, 404},
		{"uploads", 200, func() (answer, error) {
			return c.do("POST", "/tus/", strings.NewReader("x"), 1, tusVersion, tusType, "Upload-Length: 1", tusName(random()))
		}, 201},
		{"addresses", 500, func() (answer, error) {
			return c.do("GET", "/files/none", nil, 0, fmt.Sprintf("X-Forwarded-For: 2001:db8::%x", rand.Uint32N(1<<16)))
		}, 404},
		{"lies", 500, func() (answer, error) { return c.do("GET", "/files/none", nil, 0, "X-Forwarded-For: "+random()) }, 404},
	} {
		together(t, workers, func(int) error {
			for range flood.n / workers {
				if a, err := flood.ask(); err != nil || a.status != flood.want {
					return fmt.Errorf("%s: status %d, %w", flood.name, a.status, err)
				}
			}
			return nil
		})
		eventually(t, "the server is at rest", s.atRest)
		if after := bytes.Count(s.metricsText(), []byte("\n")); after > before+growth {
			t.Errorf("%s took the metrics from %d to %d lines", flood.name, before, after)
		}
	}
	lint(t, s.metricsText())
}

// random is a word of 8 to 40 letters.
func random() string {
	letters := make([]byte, 8+rand.IntN(33))
	for i := range letters {
		letters[i] = 'a' + byte(rand.IntN(26))
	}
	return string(letters)
}
