package metrics_test

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"sluice/handlers"
	"sluice/internal/hooks"
	"sluice/internal/metrics"
	"sluice/internal/transfer"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// clock is a clock that moves when told to.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// server is a registry and its metrics, tied as a server ties them.
type server struct {
	*transfer.Registry
	metrics *metrics.Metrics
	clock   *clock
}

func newServer(live int) *server {
	s := &server{clock: &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	s.Registry = transfer.New(transfer.Options{
		Now:   s.clock.Now,
		OnEnd: func(r transfer.Record) { s.metrics.ObserveEnd(r) },
	})
	s.metrics = metrics.New(metrics.Sources{
		Transfers:     s.Registry,
		LiveTransfers: live,
		Version:       "v1.2.3",
		Revision:      "0123abc",
		Blocks: func() metrics.BlockStats {
			return metrics.BlockStats{BytesInUse: 8 << 20, BytesLimit: 256 << 20, Waits: 7, Waited: 90 * time.Second}
		},
		Storage: func() metrics.StorageStats {
			return metrics.StorageStats{WrittenDirect: 4 << 20, WrittenBuffered: 1, ReadDirect: 8 << 20, ReadBuffered: 2,
				Free: 1 << 40, Reserved: 5 << 20, Used: 1 << 30, Quota: 1 << 35}
		},
		Webhook: func() hooks.Stats {
			return hooks.Stats{Deliveries: map[hooks.Delivery]int64{
				{Type: hooks.Finished, Result: hooks.Delivered}: 3, {Type: hooks.Created, Result: hooks.Retried}: 2,
			}, Events: 4, Bytes: 1000}
		},
		Veto: func() map[hooks.Decision]int64 { return map[hooks.Decision]int64{hooks.Denied: 5} },
		Connections: func() metrics.ConnectionStats {
			return metrics.ConnectionStats{Open: 3, Limit: 1000, Accepted: 50, RefusedTotal: 2, RefusedClient: 1}
		},
		Resumables:          func() metrics.ResumableStats { return metrics.ResumableStats{Open: 6, Bytes: 3 << 30} },
		CertificateNotAfter: func() time.Time { return time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC) },
		Reasons:             handlers.Reasons(),
		Ready:               func() bool { return true },
		Reload: func() metrics.ReloadStats {
			return metrics.ReloadStats{Successful: true, SucceededAt: time.Unix(1_800_000_000, 0)}
		},
	})
	return s
}

// transfer moves n bytes in d and ends.
func (s *server) transfer(spec transfer.Spec, n int, d time.Duration, result transfer.Result) {
	t := s.Begin(spec)
	t.Add(n)
	s.clock.Advance(d)
	t.End(transfer.Outcome{Result: result})
}

func (s *server) get(header ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response := httptest.NewRecorder()
	s.metrics.Handler().ServeHTTP(response, request)
	return response
}

func (s *server) scrape(t *testing.T) string {
	t.Helper()
	response := s.get()
	if response.Code != http.StatusOK {
		t.Fatalf("scrape: status %d: %s", response.Code, response.Body)
	}
	return response.Body.String()
}

func parse(t *testing.T, scrape string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(scrape))
	if err != nil {
		t.Fatalf("parse scrape: %v", err)
	}
	return families
}

// own keeps the lines of a scrape that are about sluice and the scrape itself.
func own(scrape string) string {
	var kept strings.Builder
	for line := range strings.Lines(scrape) {
		name := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE ")
		if strings.HasPrefix(name, "sluice_") || strings.HasPrefix(name, "promhttp_") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// compareGolden compares got with the file, or writes it under -update.
func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to make it)", err)
	}
	if got != string(want) {
		t.Errorf("%s is out of date (run the test with -update and look at the difference); now it would be:\n%s", path, got)
	}
}

func put() transfer.Spec {
	return transfer.Spec{Direction: transfer.Upload, Protocol: transfer.ProtocolPUT, Total: -1}
}
