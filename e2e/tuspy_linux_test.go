package e2e_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
)

// tuspy uploads a file with tuspy, which goes on with what the state remembers.
func tuspy(t testing.TB, endpoint, file, filename, state string, args ...string) error {
	t.Helper()
	// Debian's packages are known to Debian's Python alone.
	cmd := toolCommand(t, "/usr/bin/python3", append([]string{"clients/upload.py", "--endpoint", endpoint,
		"--file", file, "--filename", filename, "--state", state}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tuspy: %w: %s", err, out)
	}
	return err
}

func TestTuspy(t *testing.T) {
	t.Parallel()
	path := content(t, 20*mib+1)
	chunks := []string{"--chunk-size", chunkSize}
	for _, test := range []struct {
		name string
		args []string
	}{{"one PATCH", nil}, {"chunks", chunks}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			if err := tuspy(t, s.url("/tus/"), path, "whole", filepath.Join(folder(t), "state"), test.args...); err != nil {
				t.Fatal(err)
			}
			sameFile(t, s.file("whole"), path)
		})
		t.Run(test.name+", cut", func(t *testing.T) {
			t.Parallel()
			s, state := start(t), filepath.Join(folder(t), "state")
			endpoint := cutProxy(t, s.addr, 9*mib+1234) + "/tus/"
			if tuspy(t, endpoint, path, "resumed", state, test.args...) == nil {
				t.Fatal("the first run was not cut")
			}
			if err := tuspy(t, endpoint, path, "resumed", state, test.args...); err != nil {
				t.Fatal(err)
			}
			if got := s.scrape().sum(startedTotal, "protocol=tus"); got < 2 {
				t.Errorf("%.0f PATCH, want more than one", got)
			}
			sameFile(t, s.file("resumed"), path)
		})
	}
}

// chunkSize is what clients that send in chunks send in each.
var chunkSize = strconv.Itoa(8 * mib)
