package metrics_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"sluice/internal/metrics"
	"sluice/internal/transfer"
)

// busyScrape is the scrape of a server with a past and one running upload, in
// which the id and the Go version are replaced.
func busyScrape(t *testing.T) string {
	t.Helper()
	s := newServer(10)
	form := transfer.Spec{Direction: transfer.Upload, Protocol: transfer.ProtocolForm}
	tus := transfer.Spec{Direction: transfer.Upload, Protocol: transfer.ProtocolTus}
	get := transfer.Spec{Direction: transfer.Download, Protocol: transfer.ProtocolGET}
	s.transfer(put(), 1<<30, 500*time.Millisecond, transfer.ResultOK)
	s.transfer(put(), 0, time.Millisecond, transfer.ResultOK)
	s.transfer(put(), 64<<10, 2*time.Second, transfer.ResultRefused)
	s.transfer(form, 10<<20, 20*time.Millisecond, transfer.ResultOK)
	s.transfer(form, 1<<20, 40*time.Second, transfer.ResultTimeout)
	s.transfer(tus, 64<<20, 32*time.Second, transfer.ResultAborted)
	s.transfer(get, 1<<30, time.Second, transfer.ResultOK)
	s.transfer(get, 4<<20, 250*time.Millisecond, transfer.ResultFailed)

	s.disk()

	tus.Client = "192.0.2.7"
	running := s.Begin(tus)
	for range 500 {
		s.clock.Advance(10 * time.Millisecond)
		running.Add(1_000_000)
	}
	return strings.NewReplacer(running.ID(), "00000000000000ff", runtime.Version(), "GOVERSION").Replace(s.scrape(t))
}

func TestScrapeIsGolden(t *testing.T) {
	t.Parallel()
	compareGolden(t, "testdata/scrape.golden", own(busyScrape(t)))
}

// The scrape and the definitions, and so the documentation, say the same.
func TestDefinitionsMatchScrape(t *testing.T) {
	t.Parallel()
	families := parse(t, busyScrape(t))
	for _, d := range metrics.Definitions() {
		family, ok := families[d.Name]
		if !ok {
			t.Errorf("%s is defined and not scraped", d.Name)
			continue
		}
		delete(families, d.Name)
		if got := strings.ToLower(family.GetType().String()); got != string(d.Type) {
			t.Errorf("%s is a %s, defined as %s", d.Name, got, d.Type)
		}
		if family.GetHelp() != d.Help {
			t.Errorf("%s: help %q, defined as %q", d.Name, family.GetHelp(), d.Help)
		}
		want := slices.Sorted(slices.Values(d.Labels))
		for _, m := range family.Metric {
			if got := labelNames(m); !slices.Equal(got, want) {
				t.Errorf("%s has labels %q, defined as %q", d.Name, got, want)
			}
		}
	}
	for name := range families {
		if strings.HasPrefix(name, "sluice_") {
			t.Errorf("%s is scraped and not defined", name)
		}
	}
}

func labelNames(m *dto.Metric) (names []string) {
	for _, pair := range m.Label {
		names = append(names, pair.GetName())
	}
	slices.Sort(names)
	return names
}

// A metric's sources may be left out, and then so is the metric.
func TestWithoutOptionalSources(t *testing.T) {
	t.Parallel()
	s := newServer(10)
	s.metrics = metrics.New(metrics.Sources{Transfers: s.Registry})
	families := parse(t, s.scrape(t))
	always := []string{
		"sluice_storage_write_seconds", "sluice_storage_sync_seconds", "sluice_storage_errors_total",
		"sluice_tus_uploads_expired_total", "sluice_tus_lock_waits_total", "sluice_tls_handshake_failures_total", "sluice_credentials_total", "sluice_build_info",
	}
	for _, d := range metrics.Definitions() {
		optional := d.Name == "sluice_transfer_rate_bytes_per_second" || // no transfer is running
			!strings.HasPrefix(d.Name, "sluice_transfer") && !slices.Contains(always, d.Name)
		if _, ok := families[d.Name]; ok == optional {
			t.Errorf("%s in the scrape = %t, want %t", d.Name, ok, !optional)
		}
	}
}
