package metrics

import "github.com/prometheus/client_golang/prometheus"

var (
	bufferInUse = Definition{
		Name: "sluice_buffer_bytes_in_use", Type: Gauge, Unit: "bytes",
		Help:  "Bytes of transfer blocks lent out now.",
		Query: `sluice_buffer_bytes_in_use / sluice_buffer_bytes_limit`,
	}
	bufferLimit = Definition{
		Name: "sluice_buffer_bytes_limit", Type: Gauge, Unit: "bytes",
		Help: "Bytes that transfer blocks may take in all.",
	}
	bufferWaits = Definition{
		Name: "sluice_buffer_waits_total", Type: Counter,
		Help:  "Times a transfer had to wait for a block, the budget being spent.",
		Notes: "A steady rise says that the budget is too small for the number of transfers.",
		Query: `rate(sluice_buffer_waits_total[5m]) > 0`,
	}
	bufferWaited = Definition{
		Name: "sluice_buffer_wait_seconds_total", Type: Counter, Unit: "seconds",
		Help:  "Time that transfers have waited for a block, the budget being spent.",
		Notes: "Several wait at a time, so a second may hold more than a second. Counted when a wait ends.",
		Query: `rate(sluice_buffer_wait_seconds_total[5m])`,
	}
)

// newBlockCollector reads the block pool at each scrape.
func newBlockCollector(read func() BlockStats) prometheus.Collector {
	return newCollector(func(emit emit) {
		stats := read()
		emit(bufferInUse, float64(stats.BytesInUse))
		emit(bufferLimit, float64(stats.BytesLimit))
		emit(bufferWaits, float64(stats.Waits))
		emit(bufferWaited, stats.Waited.Seconds())
	}, bufferInUse, bufferLimit, bufferWaits, bufferWaited)
}
