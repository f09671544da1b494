package metrics

import "github.com/prometheus/client_golang/prometheus"

var (
	storageFree = Definition{
		Name: "sluice_storage_free_bytes", Type: Gauge, Unit: "bytes",
		Help:  "Bytes that the file system of the root would still take, -1 where it can't tell.",
		Query: `sluice_storage_free_bytes - sluice_storage_reserved_bytes`,
	}
	storageReserved = Definition{
		Name: "sluice_storage_reserved_bytes", Type: Gauge, Unit: "bytes",
		Help:  "Bytes that unfinished uploads have declared and not sent yet.",
		Notes: "Most file systems set them aside at once, so that the free bytes don't include them.",
	}
	storageUsed = Definition{
		Name: "sluice_storage_used_bytes", Type: Gauge, Unit: "bytes",
		Help:  "Bytes that files and uploads take, 0 without a quota.",
		Query: `sluice_storage_used_bytes / sluice_storage_quota_bytes`,
	}
	storageQuota = Definition{
		Name: "sluice_storage_quota_bytes", Type: Gauge, Unit: "bytes",
		Help: "Bytes that files and uploads may take, 0 without a quota.",
	}
)

var storageBytes = Definition{
	Name: "sluice_storage_bytes_total", Type: Counter, Unit: "bytes", Labels: []string{"operation", "path"},
	Help:  "Bytes moved between memory and disk, by the path they took.",
	Notes: "`path` is `direct` past the page cache and `buffered` through it. Small files and the unaligned end of large ones are buffered.",
	Query: `sum by (path) (rate(sluice_storage_bytes_total{operation="write"}[5m]))`,
}

// storageCollector reads the store's counters at each scrape.
type storageCollector struct {
	read                        func() StorageStats
	bytes                       family
	free, reserved, used, quota family
}

func newStorageCollector(read func() StorageStats) *storageCollector {
	return &storageCollector{
		read:     read,
		bytes:    storageBytes.family(),
		free:     storageFree.family(),
		reserved: storageReserved.family(),
		used:     storageUsed.family(),
		quota:    storageQuota.family(),
	}
}

// Describe implements [prometheus.Collector].
func (c *storageCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range []family{c.bytes, c.free, c.reserved, c.used, c.quota} {
		ch <- f.desc
	}
}

// Collect implements [prometheus.Collector].
func (c *storageCollector) Collect(ch chan<- prometheus.Metric) {
	stats := c.read()
	ch <- c.bytes.sample(float64(stats.WrittenDirect), "write", "direct")
	ch <- c.bytes.sample(float64(stats.WrittenBuffered), "write", "buffered")
	ch <- c.bytes.sample(float64(stats.ReadDirect), "read", "direct")
	ch <- c.bytes.sample(float64(stats.ReadBuffered), "read", "buffered")
	ch <- c.free.sample(float64(stats.Free))
	ch <- c.reserved.sample(float64(stats.Reserved))
	ch <- c.used.sample(float64(stats.Used))
	ch <- c.quota.sample(float64(stats.Quota))
}
