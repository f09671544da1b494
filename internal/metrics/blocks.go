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

// blockCollector reads the block pool at each scrape.
type blockCollector struct {
	read                        func() BlockStats
	inUse, limit, waits, waited family
}

func newBlockCollector(read func() BlockStats) *blockCollector {
	return &blockCollector{read, bufferInUse.family(), bufferLimit.family(), bufferWaits.family(), bufferWaited.family()}
}

// Describe implements [prometheus.Collector].
func (c *blockCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range []family{c.inUse, c.limit, c.waits, c.waited} {
		ch <- f.desc
	}
}

// Collect implements [prometheus.Collector].
func (c *blockCollector) Collect(ch chan<- prometheus.Metric) {
	stats := c.read()
	ch <- c.inUse.sample(float64(stats.BytesInUse))
	ch <- c.limit.sample(float64(stats.BytesLimit))
	ch <- c.waits.sample(float64(stats.Waits))
	ch <- c.waited.sample(stats.Waited.Seconds())
}
