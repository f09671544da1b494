//go:build !linux

package loadtest

import (
	"fmt"
	"runtime"
)

func processCPU(int) (float64, error) {
	return 0, fmt.Errorf("read processor time: not supported on %s", runtime.GOOS)
}

func peakRSS(int) (int64, error) {
	return 0, fmt.Errorf("read memory: not supported on %s", runtime.GOOS)
}

func residentSize(int) (int64, error) { return peakRSS(0) }

// testerRSS returns 0, which stands for unknown.
func testerRSS() int64 { return 0 }

// testerCPU returns 0, which stands for unknown.
func testerCPU() float64 { return 0 }

// testerPeakRSS returns 0, which stands for unknown.
func testerPeakRSS() int64 { return 0 }
