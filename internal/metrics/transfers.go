package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"sluice/internal/transfer"
)

var (
	byKind   = []string{"direction", "protocol"}
	byResult = []string{"direction", "protocol", "result"}
)

var (
	transfersInFlight = Definition{
		Name: "sluice_transfers_in_flight", Type: Gauge, Labels: byKind,
		Help:  "Transfers running now.",
		Query: `sum by (direction) (sluice_transfers_in_flight)`,
	}
	transfersStarted = Definition{
		Name: "sluice_transfers_started_total", Type: Counter, Labels: byKind,
		Help:  "Transfers begun.",
		Query: `sum by (direction, protocol) (rate(sluice_transfers_started_total[5m]))`,
	}
	transfersFinished = Definition{
		Name: "sluice_transfers_finished_total", Type: Counter, Labels: byResult,
		Help: "Transfers ended, each once under its result.",
		Notes: "`ok`: all bytes moved and, for an upload, are published. `aborted`: the client went away or its body ended early. " +
			"`timeout`: the client fell silent. `refused`: a 4xx answer after the transfer had begun. `stopped`: an operator ended it. `failed`: the server's own fault.",
		Query: `sum(rate(sluice_transfers_finished_total{result="failed"}[5m])) / sum(rate(sluice_transfers_finished_total[5m]))`,
	}
	transferBytes = Definition{
		Name: "sluice_transfer_bytes_total", Type: Counter, Unit: "bytes", Labels: byKind,
		Help:  "Body bytes moved, counted as they move.",
		Notes: "Bytes of transfers that fail later count too.",
		Query: `sum by (direction) (rate(sluice_transfer_bytes_total[1m]))`,
	}
	transferRate = Definition{
		Name: "sluice_transfer_rate_bytes_per_second", Type: Gauge, Unit: "bytes per second",
		Labels: []string{"id", "direction", "protocol", "client"},
		Help:   "Rate of a running transfer over its last 3 s, for the oldest running transfers.",
		Notes: "A series goes when its transfer ends. The number of series is limited (`--metrics-live-transfers`), and the oldest transfers have them, so that none comes and goes while " +
			"its transfer runs. `id` is the one in the log and in `/api/v1/transfers`, where the name stands. `client` is the client's address: it makes no series more, for the id is the transfer's own.",
		Query: `bottomk(10, sum by (client) (sluice_transfer_rate_bytes_per_second))`,
	}
	transferRateDropped = Definition{
		Name: "sluice_transfer_rate_series_dropped", Type: Gauge,
		Help:  "Running transfers beyond the limit on rate series, which have none of their own.",
		Query: `sluice_transfer_rate_series_dropped > 0`,
	}
)

// transferCollector reads the transfer registry at each scrape.
type transferCollector struct {
	registry *transfer.Registry
	live     int

	inFlight, started, finished, bytes family
	rate, dropped                      family
}

func newTransferCollector(registry *transfer.Registry, live int) *transferCollector {
	return &transferCollector{
		registry: registry,
		live:     max(0, live),
		inFlight: transfersInFlight.family(),
		started:  transfersStarted.family(),
		finished: transfersFinished.family(),
		bytes:    transferBytes.family(),
		rate:     transferRate.family(),
		dropped:  transferRateDropped.family(),
	}
}

// Describe implements [prometheus.Collector].
func (c *transferCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range []family{c.inFlight, c.started, c.finished, c.bytes, c.rate, c.dropped} {
		ch <- f.desc
	}
}

// Collect implements [prometheus.Collector].
func (c *transferCollector) Collect(ch chan<- prometheus.Metric) {
	for _, counts := range c.registry.Totals() {
		c.collectCounts(ch, counts)
	}
	oldest, more := c.registry.Oldest(c.live)
	for _, s := range oldest {
		ch <- c.rate.sample(s.Rate, s.ID, string(s.Direction), string(s.Protocol), s.Client)
	}
	ch <- c.dropped.sample(float64(more))
}

func (c *transferCollector) collectCounts(ch chan<- prometheus.Metric, counts transfer.Counts) {
	direction, protocol := string(counts.Direction), string(counts.Protocol)
	ch <- c.inFlight.sample(float64(counts.InFlight), direction, protocol)
	ch <- c.started.sample(float64(counts.Started), direction, protocol)
	ch <- c.bytes.sample(float64(counts.Bytes), direction, protocol)
	for result, n := range counts.Finished {
		ch <- c.finished.sample(float64(n), direction, protocol, string(result))
	}
}
