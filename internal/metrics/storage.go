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

// newStorageCollector reads the store's counters at each scrape.
func newStorageCollector(read func() StorageStats) prometheus.Collector {
	return newCollector(func(emit emit) {
		stats := read()
		emit(storageBytes, float64(stats.WrittenDirect), "write", "direct")
		emit(storageBytes, float64(stats.WrittenBuffered), "write", "buffered")
		emit(storageBytes, float64(stats.ReadDirect), "read", "direct")
		emit(storageBytes, float64(stats.ReadBuffered), "read", "buffered")
		emit(storageFree, float64(stats.Free))
		emit(storageReserved, float64(stats.Reserved))
		emit(storageUsed, float64(stats.Used))
		emit(storageQuota, float64(stats.Quota))
	}, storageBytes, storageFree, storageReserved, storageUsed, storageQuota)
}
