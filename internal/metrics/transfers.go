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

// newTransferCollector reads the transfer registry at each scrape.
func newTransferCollector(registry *transfer.Registry, live int) prometheus.Collector {
	return newCollector(func(emit emit) {
		for _, counts := range registry.Totals() {
			collectCounts(emit, counts)
		}
		oldest, more := registry.Oldest(max(0, live))
		for _, s := range oldest {
			emit(transferRate, s.Rate, s.ID, string(s.Direction), string(s.Protocol), s.Client)
		}
		emit(transferRateDropped, float64(more))
	}, transfersInFlight, transfersStarted, transfersFinished, transferBytes, transferRate, transferRateDropped)
}

func collectCounts(emit emit, counts transfer.Counts) {
	direction, protocol := string(counts.Direction), string(counts.Protocol)
	emit(transfersInFlight, float64(counts.InFlight), direction, protocol)
	emit(transfersStarted, float64(counts.Started), direction, protocol)
	emit(transferBytes, float64(counts.Bytes), direction, protocol)
	for result, n := range counts.Finished {
		emit(transfersFinished, float64(n), direction, protocol, string(result))
	}
}
