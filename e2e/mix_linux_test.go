package e2e_test

import (
	crand "crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// Names from many requests at once stay what they were, while others look at the
// metrics: no label, log line or file takes the name of another request.
//
// https://github.com/prometheus/client_golang/issues/1429
// https://github.com/gofiber/fiber/issues/426
func TestNamesDoNotMix(t *testing.T) {
	t.Parallel()
	const workers = 64
	each := 20
	if os.Getenv("NAMES_FULL") != "" {
		each = 200
	}
	s := start(t, "--durability", "none")
	s.watchMetrics()
	c := s.client()
	sent := make([][]string, workers)
	together(t, workers, func(worker int) error {
		for i := range each {
			if err := c.mix(i, &sent[worker]); err != nil {
				return err
			}
		}
		return nil
	})
	eventually(t, "the server is at rest", s.atRest)
	names := make(map[string]bool)
	for _, list := range sent {
		for _, name := range list {
			names[name] = true
			if got := string(read(t, s.file(name))); got != contentOf(name) {
				t.Errorf("%s holds %q", name, got)
			}
		}
	}
	if stored := s.stored(); len(stored) != len(names) {
		t.Errorf("%d files, want %d", len(stored), len(names))
	}
	s.logsOnly(names)
	lint(t, s.metricsText())
}

// mix makes the ith request of a worker: it stores a file by PUT or tus, and
// gets one of those that it has sent.
func (c *client) mix(i int, sent *[]string) error {
	if i%3 == 2 {
		name := (*sent)[rand.IntN(len(*sent))]
		a, err := c.must("GET", "/files/"+name, nil, 0)
		if err == nil && string(a.body) != contentOf(name) {
			err = fmt.Errorf("GET of %s: %q", name, a.body)
		}
		return err
	}
	name := crand.Text() + strings.Repeat("x", rand.IntN(200))
	*sent = append(*sent, name)
	content := contentOf(name)
	if i%3 == 1 {
		path, err := c.create(name, int64(len(content)))
		if err != nil {
			return err
		}
		return c.append(path, 0, strings.NewReader(content), int64(len(content)))
	}
	a, err := c.must("PUT", "/files/"+name, strings.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	var stored storedFile
	if err := json.Unmarshal(a.body, &stored); err != nil || stored.Name != name {
		return fmt.Errorf("%s was stored as %s: %w", name, stored.Name, err)
	}
	return nil
}

// contentOf is what a file of that name holds.
func contentOf(name string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(name))) }

// logsOnly fails the test for a transfer in the log whose name nobody has sent.
func (s *server) logsOnly(names map[string]bool) {
	s.t.Helper()
	for line := range strings.Lines(s.log.String()) {
		var entry struct{ Msg, Name string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "transfer" && !names[entry.Name] {
			s.t.Errorf("the log has a transfer of %q", entry.Name)
		}
	}
}
