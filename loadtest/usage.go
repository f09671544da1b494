package loadtest

import "errors"

// usage is the processor time used so far, in seconds.
type usage struct {
	server, tester float64
}

// readUsage reads the processor time of the tester and, summed up, of the
// processes of the server.
func readUsage(pids []int) (usage, error) {
	u := usage{tester: testerCPU()}
	var faults []error
	for _, pid := range pids {
		seconds, err := processCPU(pid)
		u.server += seconds
		faults = append(faults, err)
	}
	return u, errors.Join(faults...)
}

// readPeakRSS returns the sum of the peaks of the processes of the server, in
// bytes.
func readPeakRSS(pids []int) (int64, error) { return sumOf(pids, peakRSS) }

// sumOf adds up a size of processes, in bytes.
func sumOf(pids []int, read func(int) (int64, error)) (int64, error) {
	var sum int64
	var faults []error
	for _, pid := range pids {
		size, err := read(pid)
		sum += size
		faults = append(faults, err)
	}
	return sum, errors.Join(faults...)
}

// ServerUsage is what the processes of a server on this machine have used since
// they started.
type ServerUsage struct {
	CPUSeconds float64
	PeakRSS    int64 // bytes, added up
}

// ReadServerUsage reads what the processes have used.
func ReadServerUsage(pids []int) (ServerUsage, error) {
	used, err := readUsage(pids)
	peak, errPeak := readPeakRSS(pids)
	return ServerUsage{CPUSeconds: used.server, PeakRSS: peak}, errors.Join(err, errPeak)
}
