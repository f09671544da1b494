package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"sluice/loadtest/record"
)

const (
	// scrapeTimeout bounds how long a server may take to tell its metrics, and
	// maxScrape their length in bytes.
	scrapeTimeout = 10 * time.Second
	maxScrape     = 16 << 20
	// maxChanges bounds the counters that are kept.
	maxChanges = 500
)

// byteCounters is the counters of the content of files that the tester knows, by
// the label of the direction.
var byteCounters = map[string]struct{ label, up, down string }{
	"sluice_transfer_bytes_total": {"direction", "upload", "download"},
}

// scrape is the counters of a server at a moment, by series.
type scrape struct {
	values   map[string]float64
	counts   bool // there is a counter of bytes
	up, down float64
}

// readMetrics reads the metrics that stand under url in Prometheus' text format.
func readMetrics(ctx context.Context, url string) (*scrape, error) {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("metrics: %s answers %s", url, response.Status)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(io.LimitReader(response.Body, maxScrape))
	if err != nil {
		return nil, fmt.Errorf("metrics of %s: %w", url, err)
	}
	s := &scrape{values: map[string]float64{}}
	for name, family := range families {
		if family.GetType() == dto.MetricType_COUNTER {
			s.add(name, family)
		}
	}
	return s, nil
}

// add takes down the counters of a family.
func (s *scrape) add(name string, family *dto.MetricFamily) {
	counter, known := byteCounters[name]
	s.counts = s.counts || known
	for _, metric := range family.Metric {
		value := metric.GetCounter().GetValue()
		var labels []string
		for _, label := range metric.Label {
			labels = append(labels, fmt.Sprintf("%s=%q", label.GetName(), label.GetValue()))
			if known && label.GetName() == counter.label {
				switch label.GetValue() {
				case counter.up:
					s.up += value
				case counter.down:
					s.down += value
				}
			}
		}
		if labels != nil {
			s.values[name+"{"+strings.Join(labels, ",")+"}"] = value
		} else {
			s.values[name] = value
		}
	}
}

// since returns the row of what was counted between before and s.
func (s *scrape) since(before *scrape, url string) *record.Metrics {
	row := &record.Metrics{
		URL: url, Counts: s.counts, Up: int64(s.up - before.up), Down: int64(s.down - before.down), Changes: record.Changes{},
	}
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		if grown := s.values[name] - before.values[name]; grown != 0 && len(row.Changes) < maxChanges {
			row.Changes[name] = grown
		}
	}
	return row
}

// ServerMetrics is a sink that has the server's own counters read when the work
// begins, which is at its header, and at its end.
type ServerMetrics struct {
	record.Sink
	URL string

	before *scrape
	fault  error
}

// Write passes on the row.
func (m *ServerMetrics) Write(row record.Row) error {
	if _, begins := row.(*record.Header); begins && m.before == nil && m.fault == nil {
		m.before, m.fault = readMetrics(context.Background(), m.URL)
	}
	return m.Sink.Write(row)
}

// End writes the row of what the server has counted. It does nothing if the work
// has never begun.
func (m *ServerMetrics) End(ctx context.Context) error {
	if m.before == nil {
		return m.fault
	}
	after, err := readMetrics(ctx, m.URL)
	if err != nil {
		return err
	}
	if after.counts != m.before.counts && m.before.counts {
		return errors.New("metrics: the server has lost its counters")
	}
	return m.Sink.Write(after.since(m.before, m.URL))
}
