package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// process is a running program whose memory is watched.
type process struct {
	t   testing.TB
	cmd *exec.Cmd
}

// peakMemory is the largest resident set that the process has had, in bytes.
func (p process) peakMemory() int64 {
	p.t.Helper()
	return p.status("VmHWM:")
}

// memory is the resident set of the process, in bytes.
func (p process) memory() int64 {
	p.t.Helper()
	return p.status("VmRSS:")
}

// status reads a number of kB from the kernel's account of the process.
func (p process) status(field string) (bytes int64) {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				p.t.Fatal(err)
			}
			return kib << 10
		}
	}
	p.t.Fatalf("no %s in the status of the process", field)
	return 0
}

// staysBelow fails the test when the process has taken more memory than limit,
// in bytes.
func (p process) staysBelow(limit int64) {
	p.t.Helper()
	peak := p.peakMemory()
	p.t.Logf("peak memory %.1f MiB, limit %d MiB", float64(peak)/mib, limit/mib)
	if peak > limit {
		p.t.Errorf("peak memory is %d bytes, want at most %d", peak, limit)
	}
}
