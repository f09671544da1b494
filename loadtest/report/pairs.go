package report

import (
	"encoding/json"
	"maps"
	"slices"

	"sluice/loadtest/record"
)

// Pair is one turn of A and one of B.
type Pair struct {
	Number int     `json:"pair"`
	A      Turn    `json:"a"`
	B      Turn    `json:"b"`
	Ratio  float64 `json:"ratio"` // of the rates, A to B
}

// Turn is what one side did in a pair.
type Turn struct {
	// Total adds up its repeats, the largest of the peaks of memory apart.
	Total record.Repeat `json:"total"`
	// Rates are the MB/s of each of them, which show whether it was level.
	Rates []float64 `json:"mb_per_second"`
}

// MarshalJSON adds the rates to the total's row.
func (t Turn) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Total repeat    `json:"total"`
		Rates []float64 `json:"mb_per_second"`
	}{newRepeat(&t.Total), t.Rates})
}

func (t *Turn) add(row *record.Repeat) {
	t.Total.Pair, t.Total.Repeat = row.Pair, row.Repeat
	t.Total.Seconds += row.Seconds
	t.Total.Bytes += row.Bytes
	t.Total.ServerCPUSeconds += row.ServerCPUSeconds
	t.Total.TesterCPUSeconds += row.TesterCPUSeconds
	t.Total.ServerPeakRSS = max(t.Total.ServerPeakRSS, row.ServerPeakRSS)
	t.Total.Failed += row.Failed
	t.Rates = append(t.Rates, row.MBPerSecond())
}

// Pairs returns the pairs that count, as far as both sides have had their turn.
func (c *Comparison) Pairs() []Pair {
	a, b := turns(c.A.repeats), turns(c.B.repeats)
	var pairs []Pair
	for _, number := range slices.Sorted(maps.Keys(a)) {
		p := Pair{Number: number}
		if number == 0 || b[number] == nil {
			continue
		}
		p.A, p.B = *a[number], *b[number]
		p.Ratio = ratio(p.A.Total.MBPerSecond(), p.B.Total.MBPerSecond())
		pairs = append(pairs, p)
	}
	return pairs
}

// turns adds up the rows of each pair.
func turns(rows []*record.Repeat) map[int]*Turn {
	sums := map[int]*Turn{}
	for _, row := range rows {
		if sums[row.Pair] == nil {
			sums[row.Pair] = &Turn{}
		}
		sums[row.Pair].add(row)
	}
	return sums
}

// VersusSummary sums up a comparison.
type VersusSummary struct {
	A Summary `json:"a"`
	B Summary `json:"b"`
	// Ratio is that of the rates, A to B, pair by pair.
	Ratio Stats `json:"ratio"`
	// ServerCPURatio is that of the medians of the servers' processor time per
	// GB, A to B; 0 if it wasn't read.
	ServerCPURatio float64 `json:"server_cpu_ratio"`
}

// Summary sums up the pairs in which both sides transferred something.
func (c *Comparison) Summary() VersusSummary {
	var a, b []*record.Repeat
	var ratios []float64
	for _, p := range c.Pairs() {
		a, b = append(a, &p.A.Total), append(b, &p.B.Total)
		if p.A.Total.Bytes > 0 && p.B.Total.Bytes > 0 {
			ratios = append(ratios, p.Ratio)
		}
	}
	s := VersusSummary{A: summarise(a), B: summarise(b), Ratio: newStats(ratios)}
	s.ServerCPURatio = ratio(s.A.ServerCPUPerGB.Median, s.B.ServerCPUPerGB.Median)
	return s
}
