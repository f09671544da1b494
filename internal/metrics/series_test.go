package metrics_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"sluice/handlers"
	"sluice/internal/metrics"
	"sluice/internal/transfer"
)

const rateName = "sluice_transfer_rate_bytes_per_second"

// label returns the value of one label.
func label(m *dto.Metric, name string) string {
	for _, pair := range m.Label {
		if pair.GetName() == name {
			return pair.GetValue()
		}
	}
	return ""
}

// gauge returns the sum over a gauge's series.
func gauge(family *dto.MetricFamily) (sum float64) {
	for _, m := range family.GetMetric() {
		sum += m.GetGauge().GetValue()
	}
	return sum
}

// counter returns the sum over a counter's series that have the label value.
func counter(family *dto.MetricFamily, name, value string) (sum float64) {
	for _, m := range family.GetMetric() {
		if label(m, name) == value {
			sum += m.GetCounter().GetValue()
		}
	}
	return sum
}

func TestRunningUploadShowsItsRate(t *testing.T) {
	t.Parallel()
	s := newServer(10)
	tr := s.Begin(put())
	for range 600 {
		s.clock.Advance(5 * time.Millisecond)
		tr.Add(1 << 20)
	}
	const want = float64(1<<20) / 0.005
	families := parse(t, s.scrape(t))
	series := families[rateName].GetMetric()
	if len(series) != 1 || label(series[0], "id") != tr.ID() {
		t.Fatalf("rate series = %v, want one of %s", series, tr.ID())
	}
	if got := series[0].GetGauge().GetValue(); math.Abs(got-want) > want/10 {
		t.Errorf("rate = %.0f, want %.0f within 10 %%", got, want)
	}
	if got := counter(families["sluice_transfer_bytes_total"], "protocol", "put"); got != 600<<20 {
		t.Errorf("bytes of a running transfer = %.0f, want %d", got, 600<<20)
	}
}

func TestNothingIsLeftAtRest(t *testing.T) {
	t.Parallel()
	s := newServer(1000)
	const each = 100
	for i, result := range transfer.Results() {
		for range each {
			s.transfer(put(), 1000+i, time.Duration(i)*time.Second, result)
		}
	}
	families := parse(t, s.scrape(t))
	if got := gauge(families["sluice_transfers_in_flight"]); got != 0 {
		t.Errorf("in flight = %v, want 0", got)
	}
	if series := families[rateName].GetMetric(); len(series) != 0 {
		t.Errorf("%d rate series are left", len(series))
	}
	for _, result := range transfer.Results() {
		if got := counter(families["sluice_transfers_finished_total"], "result", string(result)); got != each {
			t.Errorf("finished %q = %v, want %d", result, got, each)
		}
	}
	const moved = each * (1000 + 1001 + 1002 + 1003 + 1004 + 1005)
	if got := counter(families["sluice_transfer_bytes_total"], "protocol", "put"); got != moved {
		t.Errorf("bytes = %v, want %d", got, moved)
	}
	wantFinite(t, families)
}

// wantFinite fails for any value of sluice's own that is NaN, infinite or negative.
func wantFinite(t *testing.T, families map[string]*dto.MetricFamily) {
	t.Helper()
	for name, family := range families {
		if !strings.HasPrefix(name, "sluice_") {
			continue
		}
		for _, m := range family.Metric {
			v := m.GetGauge().GetValue() + m.GetCounter().GetValue() + m.GetHistogram().GetSampleSum()
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
				t.Errorf("%s = %v", name, m)
			}
		}
	}
}

func TestRateSeriesAreBounded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                  string
		live, running, series int
	}{
		{"fewer than the limit", 600, 500, 500},
		{"more than the limit", 20, 500, 20},
		{"no series at all", 0, 500, 0},
		{"a negative limit", -1, 500, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(tt.live)
			oldest := make(map[string]bool)
			for i := range tt.running {
				tr := s.Begin(put())
				if i < tt.series {
					oldest[tr.ID()] = true
				}
			}
			families := parse(t, s.scrape(t))
			series := families[rateName].GetMetric()
			for _, m := range series {
				if !oldest[label(m, "id")] {
					t.Errorf("series of %s, which is none of the %d oldest", label(m, "id"), tt.series)
				}
			}
			dropped := gauge(families["sluice_transfer_rate_series_dropped"])
			if len(series) != tt.series || int(dropped) != tt.running-tt.series {
				t.Errorf("%d series, %v dropped, want %d and %d", len(series), dropped, tt.series, tt.running-tt.series)
			}
		})
	}
}

// Whatever clients send, an ended transfer leaves the scrape as long as it was.
func TestCardinalityDoesNotGrow(t *testing.T) {
	t.Parallel()
	s := newServer(100)
	before := strings.Count(own(s.scrape(t)), "\n")
	for i := range 2000 {
		spec := put()
		spec.Name = fmt.Sprintf("folder%d/\xff\"\n%d", i, i)
		spec.Client = fmt.Sprintf("203.0.113.%d:%d", i%256, i)
		spec.RequestID = fmt.Sprintf("request\x00%d", i)
		s.transfer(spec, i, time.Duration(i)*time.Millisecond, transfer.Results()[i%5])
	}
	if after := strings.Count(own(s.scrape(t)), "\n"); after != before {
		t.Errorf("the scrape went from %d to %d lines", before, after)
	}

	// Kinds that no handler should make share one bucket.
	foreign := func(i int) transfer.Spec {
		return transfer.Spec{Direction: transfer.Direction(fmt.Sprint("D", i)), Protocol: transfer.Protocol(fmt.Sprint("P", i))}
	}
	s.transfer(foreign(0), 1, time.Second, "R0")
	before = strings.Count(own(s.scrape(t)), "\n")
	for i := range 2000 {
		s.transfer(foreign(i), 1, time.Second, transfer.Result(fmt.Sprint("R", i)))
	}
	if after := strings.Count(own(s.scrape(t)), "\n"); after != before {
		t.Errorf("foreign kinds took the scrape from %d to %d lines", before, after)
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	s := newServer(0)
	for value, isReady := range []bool{false, true} {
		s.metrics = metrics.New(metrics.Sources{Transfers: s.Registry, Ready: func() bool { return isReady }})
		if got := gauge(parse(t, s.scrape(t))["sluice_ready"]); got != float64(value) {
			t.Errorf("ready %t: gauge = %v, want %d", isReady, got, value)
		}
	}
}

// Refusals are counted by reason, and each reason has its series from the start.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := newServer(10)
	s.metrics.ObserveRefusal("head_too_large")
	s.metrics.ObserveRefusal("head_too_large")
	family := parse(t, s.scrape(t))["sluice_requests_refused_total"]
	if got := counter(family, "reason", "head_too_large"); got != 2 {
		t.Errorf("counted %v heads that are too large, want 2", got)
	}
	if got, want := len(family.GetMetric()), len(handlers.Reasons()); got != want {
		t.Errorf("%d series, want one for each of %d reasons", got, want)
	}
}
