package metrics_test

import (
	"errors"
	"io"
	"math"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"sluice/internal/transfer"
)

// protobuf scrapes in the format that carries native histograms.
func (s *server) protobuf(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	response := s.get("Accept", string(expfmt.NewFormat(expfmt.TypeProtoDelim)))
	decoder := expfmt.NewDecoder(response.Body, expfmt.ResponseFormat(response.Header()))
	families := make(map[string]*dto.MetricFamily)
	for {
		family := new(dto.MetricFamily)
		err := decoder.Decode(family)
		if errors.Is(err, io.EOF) {
			return families
		}
		if err != nil {
			t.Fatal(err)
		}
		families[family.GetName()] = family
	}
}

// histogram returns the series of PUT uploads of a size class, "" where the
// metric has no such label.
func histogram(family *dto.MetricFamily, size string) *dto.Histogram {
	for _, m := range family.GetMetric() {
		if label(m, "protocol") == "put" && label(m, "size") == size {
			return m.Histogram
		}
	}
	return nil
}

func TestHistogramsObserveEnds(t *testing.T) {
	t.Parallel()
	s := newServer(0)
	s.transfer(put(), 100<<20, 100*time.Millisecond, transfer.ResultOK)
	s.transfer(put(), 300<<20, 2*time.Second, transfer.ResultOK)
	s.transfer(put(), 0, time.Second, transfer.ResultOK)
	s.transfer(put(), 5<<20, 7*time.Second, transfer.ResultAborted)
	families := parse(t, s.scrape(t))
	tests := []struct {
		name, size string
		count      uint64
		sum        float64
	}{
		{"sluice_transfer_bytes_per_second", "large", 2, 1000<<20 + 150<<20},
		{"sluice_transfer_bytes_per_second", "small", 0, 0},
		{"sluice_transfer_size_bytes", "", 3, 400 << 20},
		{"sluice_transfer_duration_seconds", "large", 2, 2.1},
		{"sluice_transfer_duration_seconds", "small", 1, 1},
		{"sluice_transfer_duration_seconds", "medium", 0, 0},
	}
	for _, tt := range tests {
		h := histogram(families[tt.name], tt.size)
		if h.GetSampleCount() != tt.count || math.Abs(h.GetSampleSum()-tt.sum) > 1e-6*tt.sum {
			t.Errorf("%s %s: count %d, sum %v, want %d, %v", tt.name, tt.size, h.GetSampleCount(), h.GetSampleSum(), tt.count, tt.sum)
		}
	}
}

func TestRateBuckets(t *testing.T) {
	t.Parallel()
	h := histogram(parse(t, newServer(0).scrape(t))["sluice_transfer_bytes_per_second"], "small")
	const low, high float64 = 64 << 10, 16 << 30
	buckets := h.GetBucket() // the last one is +Inf
	first, last := buckets[0].GetUpperBound(), buckets[len(buckets)-2].GetUpperBound()
	if first != low || last != high {
		t.Errorf("buckets from %v to %v, want %v to %v", first, last, low, high)
	}
	for i := 1; i < len(buckets)-1; i++ {
		if got := buckets[i].GetUpperBound() / buckets[i-1].GetUpperBound(); got != 2 {
			t.Errorf("bucket %d is %v times the one before, want 2", i, got)
		}
	}
}

// Native histograms have a bucket at most 10 % wide and a bounded number of them.
func TestNativeHistograms(t *testing.T) {
	t.Parallel()
	s := newServer(0)
	s.transfer(put(), 100<<20, time.Second, transfer.ResultOK)
	h := histogram(s.protobuf(t)["sluice_transfer_size_bytes"], "")
	if factor := math.Exp2(math.Exp2(-float64(h.GetSchema()))); len(h.GetPositiveSpan()) == 0 || factor > 1.1 {
		t.Errorf("schema %d (factor %v), spans %v, want a native histogram of factor <= 1.1", h.GetSchema(), factor, h.GetPositiveSpan())
	}
	for i := range 3000 {
		rate := math.Pow(1.01, float64(i)) // 1 B/s to 9 TB/s
		s.transfer(put(), int(max(1, rate)), time.Second, transfer.ResultOK)
	}
	h = histogram(s.protobuf(t)["sluice_transfer_size_bytes"], "")
	if n := len(h.GetPositiveDelta()); n > 160 || h.GetSampleCount() != 3001 {
		t.Errorf("%d buckets, %d samples, want at most 160, and 3001", n, h.GetSampleCount())
	}
}
