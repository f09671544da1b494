package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Names of the metrics that tests ask for.
const (
	refusedTotal    = "sluice_requests_refused_total"
	inFlight        = "sluice_transfers_in_flight"
	startedTotal    = "sluice_transfers_started_total"
	finishedTotal   = "sluice_transfers_finished_total"
	transferBytes   = "sluice_transfer_bytes_total"
	transferRate    = "sluice_transfer_rate_bytes_per_second"
	bufferBytes     = "sluice_buffer_bytes_in_use"
	storageBytes    = "sluice_storage_bytes_total"
	connectionsOpen = "sluice_connections_open"
	tusOpen         = "sluice_tus_uploads_open"
	tusExpired      = "sluice_tus_uploads_expired_total"
)

// scrape is the state of all metrics at one moment.
type scrape struct {
	t        testing.TB
	families map[string]*dto.MetricFamily
}

// scrape reads the metrics as Prometheus does.
func (s *server) scrape() scrape {
	s.t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(s.metricsText()))
	if err != nil {
		s.t.Fatal(err)
	}
	return scrape{s.t, families}
}

func (s *server) metricsText() []byte {
	s.t.Helper()
	status, text := s.operator("/metrics")
	if status != http.StatusOK {
		s.t.Fatalf("metrics: status %d\n%s", status, text)
	}
	return text
}

// operator gets a path of the admin listener.
func (s *server) operator(path string) (status int, body []byte) {
	s.t.Helper()
	response, err := http.Get("http://" + s.admin + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(response.Body); err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, body
}

// sum adds up the counters and gauges of a name whose labels hold all of the
// given pairs, each "name=value". There must be one at least.
func (m scrape) sum(name string, labels ...string) float64 {
	m.t.Helper()
	found := m.series(name, labels...)
	if len(found) == 0 {
		m.t.Fatalf("no metric %s%q", name, labels)
	}
	var total float64
	for _, metric := range found {
		total += metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
	}
	return total
}

// series lists the series of a name whose labels hold all of the given pairs.
func (m scrape) series(name string, labels ...string) []*dto.Metric {
	var found []*dto.Metric
	for _, metric := range m.families[name].GetMetric() {
		if hasLabels(metric, labels) {
			found = append(found, metric)
		}
	}
	return found
}

func hasLabels(metric *dto.Metric, pairs []string) bool {
	have := make(map[string]bool)
	for _, label := range metric.GetLabel() {
		have[label.GetName()+"="+label.GetValue()] = true
	}
	for _, pair := range pairs {
		if !have[pair] {
			return false
		}
	}
	return true
}

// endings counts the transfers of a protocol by how they ended.
type endings struct{ ok, aborted, timeout, refused, failed int }

func (e endings) String() string {
	return fmt.Sprintf("ok %d, aborted %d, timeout %d, refused %d, failed %d", e.ok, e.aborted, e.timeout, e.refused, e.failed)
}

func (m scrape) endings(protocol string) endings {
	count := func(result string) int {
		return int(m.sum(finishedTotal, "protocol="+protocol, "result="+result))
	}
	return endings{count("ok"), count("aborted"), count("timeout"), count("refused"), count("failed")}
}

// ends waits until as many transfers of the protocol have ended as want says,
// and nothing of them is left. They must have ended as it says.
func (s *server) ends(protocol string, want endings) {
	s.t.Helper()
	var got endings
	eventually(s.t, fmt.Sprintf("%s transfers end: %s", protocol, want), func() bool {
		got = s.scrape().endings(protocol)
		return got.total() >= want.total()
	})
	if got != want {
		s.t.Errorf("%s transfers ended: %s; want %s", protocol, got, want)
	}
	eventually(s.t, "the server is at rest", s.atRest)
}

func (e endings) total() int { return e.ok + e.aborted + e.timeout + e.refused + e.failed }

// atRest reports whether no transfer runs, holds memory or has left a
// temporary file.
func (s *server) atRest() bool {
	m := s.scrape()
	return m.sum(inFlight) == 0 && m.sum(bufferBytes) == 0 && len(m.series(transferRate)) == 0 && len(s.temporary()) == 0
}

// received waits until the server has counted n body bytes of the protocol.
func (s *server) received(protocol string, n int) {
	s.t.Helper()
	eventually(s.t, fmt.Sprintf("%d bytes arrive by %s", n, protocol), func() bool {
		return s.countedBytes(protocol) >= n
	})
}

// lint runs Prometheus' own checker on a scrape. What it prints is a complaint
// even where it exits with 0.
func lint(t testing.TB, text []byte) {
	t.Helper()
	cmd := toolCommand(t, "promtool", "check", "metrics")
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "" {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}

// countedBytes is how many body bytes of uploads the server has counted.
func (s *server) countedBytes(protocol string) int {
	s.t.Helper()
	return int(s.scrape().sum(transferBytes, "direction=upload", "protocol="+protocol))
}
