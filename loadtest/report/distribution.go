package report

import (
	"encoding/json"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// distribution is how the values of one figure are spread. It takes any number of
// them in a fixed amount of memory, to three digits.
type distribution struct {
	unit      float64 // value of 1 in the histogram
	histogram *hdrhistogram.Histogram
	sum       float64
	min, max  float64
	// sample is values that stand for all of them, each as likely to be among them
	// as any other.
	sample []float64
	lot    uint64
}

const (
	// The histogram's range: in microseconds up to 11 days, in bytes per second up to 1 TB/s.
	lowest, highest = 1, 1e12
	digits          = 3
	// maxSample bounds the values that are kept as they are.
	maxSample = 2048
)

// The units of the histograms.
const (
	microseconds = 1e-6 // of seconds
	bytesOfMB    = 1e-6 // of MB
)

func (d *distribution) add(value float64) {
	if d.histogram == nil {
		d.histogram = hdrhistogram.New(lowest, highest, digits)
		d.min, d.max = value, value
	}
	// It fails only past its range, which values are kept within.
	_ = d.histogram.RecordValue(int64(min(max(math.Round(value/d.unit), 0), highest)))
	d.sum += value
	d.min, d.max = min(d.min, value), max(d.max, value)
	d.draw(value)
}

// draw is reservoir sampling. The same values give the same sample, or else a
// report made again would differ.
func (d *distribution) draw(value float64) {
	if len(d.sample) < maxSample {
		d.sample = append(d.sample, value)
		return
	}
	d.lot = d.lot*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
	if at := d.lot >> 16 % uint64(d.n()); at < maxSample {
		d.sample[at] = value
	}
}

func (d *distribution) n() int64 {
	if d.histogram == nil {
		return 0
	}
	return d.histogram.TotalCount()
}

func (d *distribution) mean() float64 { return ratio(d.sum, float64(d.n())) }

// percentile returns the value that p per cent of all are not above, 0 if there
// are none.
func (d *distribution) percentile(p float64) float64 {
	switch {
	case d.histogram == nil:
		return 0
	case p >= 100:
		return d.max
	case p <= 0:
		return d.min
	}
	// What the histogram says is the upper end of a step.
	return min(max(float64(d.histogram.ValueAtPercentile(p))*d.unit, d.min), d.max)
}

// Percentiles is a distribution in a few numbers.
type Percentiles struct {
	N    int64   `json:"n"`
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99_9"`
	Max  float64 `json:"max"`
}

func (d *distribution) percentiles() Percentiles {
	return Percentiles{
		N: d.n(), Mean: d.mean(), Min: d.percentile(0), P50: d.percentile(50), P90: d.percentile(90),
		P95: d.percentile(95), P99: d.percentile(99), P999: d.percentile(99.9), Max: d.percentile(100),
	}
}

// MarshalJSON writes the percentiles.
func (d *distribution) MarshalJSON() ([]byte, error) { return json.Marshal(d.percentiles()) }
