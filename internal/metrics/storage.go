package metrics

import "github.com/prometheus/client_golang/prometheus"

var storageBytes = Definition{
	Name: "sluice_storage_bytes_total", Type: Counter, Unit: "bytes", Labels: []string{"operation", "path"},
	Help:  "Bytes moved between memory and disk, by the path they took.",
	Notes: "`path` is `direct` past the page cache and `buffered` through it. Small files and the unaligned end of large ones are buffered.",
	Query: `sum by (path) (rate(sluice_storage_bytes_total{operation="write"}[5m]))`,
}

// storageCollector reads the store's counters at each scrape.
type storageCollector struct {
	read  func() StorageStats
	bytes family
}

func newStorageCollector(read func() StorageStats) *storageCollector {
	return &storageCollector{read, storageBytes.family()}
}

// Describe implements [prometheus.Collector].
func (c *storageCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.bytes.desc }

// Collect implements [prometheus.Collector].
func (c *storageCollector) Collect(ch chan<- prometheus.Metric) {
	stats := c.read()
	ch <- c.bytes.sample(float64(stats.WrittenDirect), "write", "direct")
	ch <- c.bytes.sample(float64(stats.WrittenBuffered), "write", "buffered")
	ch <- c.bytes.sample(float64(stats.ReadDirect), "read", "direct")
	ch <- c.bytes.sample(float64(stats.ReadBuffered), "read", "buffered")
}
