package loadtest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ticksPerSecond is USER_HZ, in which /proc counts. It is 100 on every
// architecture that Go runs on.
const ticksPerSecond = 100

// processCPU returns the processor seconds that all threads of a process have
// used: utime and stime of proc_pid_stat(5).
func processCPU(pid int) (float64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	// The second field, the command in parentheses, may contain anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("read processor time: %q is too short", stat)
	}
	user, userErr := strconv.ParseUint(string(fields[11]), 10, 64)
	system, systemErr := strconv.ParseUint(string(fields[12]), 10, 64)
	if userErr != nil || systemErr != nil {
		return 0, fmt.Errorf("read processor time: %q is malformed", stat)
	}
	return float64(user+system) / ticksPerSecond, nil
}

// peakRSS returns the largest resident size in bytes that a process has had:
// VmHWM of proc_pid_status(5).
func peakRSS(pid int) (int64, error) { return memoryOf(pid, "VmHWM:") }

// residentSize returns the resident size in bytes that a process has: VmRSS.
func residentSize(pid int) (int64, error) { return memoryOf(pid, "VmRSS:") }

func memoryOf(pid int, field string) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("read memory: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		value, found := strings.CutPrefix(line, field)
		if !found {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read memory: %w", err)
		}
		return kib << 10, nil
	}
	return 0, fmt.Errorf("read memory: process %d has none", pid)
}

// testerCPU returns the processor seconds that this process has used.
func testerCPU() float64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// testerPeakRSS returns the largest resident size in bytes that this program has
// had, 0 if it can't be read. getrusage(2) would count what its parent had when it
// forked.
func testerPeakRSS() int64 {
	peak, _ := peakRSS(os.Getpid())
	return peak
}

// testerRSS returns the resident size in bytes that this process has, 0 if it
// can't be read.
func testerRSS() int64 {
	size, _ := residentSize(os.Getpid())
	return size
}
