package report

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"sluice/loadtest/record"
)

// Stats sums up one figure over the repeats or pairs of a run.
type Stats struct {
	N      int     `json:"n"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Mean   float64 `json:"mean"`
	// StdDev is the sample's standard deviation, 0 if there is but one value.
	StdDev float64 `json:"std_dev"`
}

// newStats returns the statistics of values, all 0 if there are none.
func newStats(values []float64) Stats {
	if len(values) == 0 {
		return Stats{}
	}
	sorted := slices.Sorted(slices.Values(values))
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	s := Stats{N: len(values), Median: (low + high) / 2, Min: sorted[0], Max: sorted[len(sorted)-1], Mean: stat.Mean(values, nil)}
	if len(values) > 1 {
		s.StdDev = stat.StdDev(values, nil)
	}
	return s
}

// Summary sums up repeats.
type Summary struct {
	Seconds        Stats `json:"seconds"`
	MBPerSecond    Stats `json:"mb_per_second"`
	PerSecond      Stats `json:"transfers_per_second"`
	ServerCPUPerGB Stats `json:"server_cpu_seconds_per_gb"`
	TesterCPUPerGB Stats `json:"tester_cpu_seconds_per_gb"`
	ServerPeakRSS  int64 `json:"server_peak_rss_bytes"`
	TesterPeakRSS  int64 `json:"tester_peak_rss_bytes"`
}

// summarise sums up the repeats in which something was transferred.
func summarise(repeats []*record.Repeat) Summary {
	s := Summary{
		Seconds:        newStats(pick(repeats, func(r *record.Repeat) float64 { return r.Seconds })),
		MBPerSecond:    newStats(pick(repeats, (*record.Repeat).MBPerSecond)),
		PerSecond:      newStats(pick(repeats, endedPerSecond)),
		ServerCPUPerGB: newStats(pick(repeats, (*record.Repeat).ServerCPUPerGB)),
		TesterCPUPerGB: newStats(pick(repeats, (*record.Repeat).TesterCPUPerGB)),
	}
	for _, row := range repeats {
		s.ServerPeakRSS = max(s.ServerPeakRSS, row.ServerPeakRSS)
		s.TesterPeakRSS = max(s.TesterPeakRSS, row.TesterPeakRSS)
	}
	return s
}

// endedPerSecond returns how many transfers ended in a second.
func endedPerSecond(r *record.Repeat) float64 { return ratio(float64(r.Transfers), r.Seconds) }

// pick returns one figure of each repeat in which something was transferred.
func pick(repeats []*record.Repeat, figure func(*record.Repeat) float64) []float64 {
	var values []float64
	for _, row := range repeats {
		if row.Bytes > 0 {
			values = append(values, figure(row))
		}
	}
	return values
}

// ratio is a/b, or 0 where b is 0 and there is no ratio.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
