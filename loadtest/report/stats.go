package report

import (
	"slices"

	"sluice/loadtest/record"
)

// Stats sums up one figure over the repeats or pairs of a run.
type Stats struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// newStats returns the statistics of values, all 0 if there are none.
func newStats(values []float64) Stats {
	if len(values) == 0 {
		return Stats{}
	}
	sorted := slices.Sorted(slices.Values(values))
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return Stats{Median: (low + high) / 2, Min: sorted[0], Max: sorted[len(sorted)-1]}
}

// Summary sums up repeats.
type Summary struct {
	Seconds        Stats `json:"seconds"`
	MBPerSecond    Stats `json:"mb_per_second"`
	ServerCPUPerGB Stats `json:"server_cpu_seconds_per_gb"`
	TesterCPUPerGB Stats `json:"tester_cpu_seconds_per_gb"`
	ServerPeakRSS  int64 `json:"server_peak_rss_bytes"`
}

// Summary sums up the repeats in which something was transferred.
func (r *Run) Summary() Summary { return summarise(r.repeats) }

func summarise(repeats []*record.Repeat) Summary {
	var seconds, rates, server, tester []float64
	var peak int64
	for _, row := range repeats {
		peak = max(peak, row.ServerPeakRSS)
		if row.Bytes == 0 {
			continue
		}
		seconds = append(seconds, row.Seconds)
		rates = append(rates, row.MBPerSecond())
		server = append(server, row.ServerCPUPerGB())
		tester = append(tester, row.TesterCPUPerGB())
	}
	return Summary{
		Seconds:        newStats(seconds),
		MBPerSecond:    newStats(rates),
		ServerCPUPerGB: newStats(server),
		TesterCPUPerGB: newStats(tester),
		ServerPeakRSS:  peak,
	}
}
