package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	storageWrite = Definition{
		Name: "sluice_storage_write_seconds", Type: Histogram, Unit: "seconds", Labels: []string{"path"},
		Help: "Time of each write of up to a block of an upload to its file.",
		Notes: "`path` is `direct` past the page cache, where the disk has the bytes when the write ends, and `buffered` through it. " +
			"Blocks have 64 KiB to `--block-size`.",
		Query: `histogram_quantile(0.99, sum by (le, path) (rate(sluice_storage_write_seconds_bucket[5m])))`,
	}
	storageSync = Definition{
		Name: "sluice_storage_sync_seconds", Type: Histogram, Unit: "seconds", Labels: []string{"what"},
		Help:  "Time of each call that makes data durable (fsync), of a file or a folder.",
		Notes: "Uploads that finish in one folder at the same time share a sync of it. With `--durability none` there are none.",
		Query: `histogram_quantile(0.99, sum by (le, what) (rate(sluice_storage_sync_seconds_bucket[5m])))`,
	}
	storageErrors = Definition{
		Name: "sluice_storage_errors_total", Type: Counter, Labels: []string{"operation", "kind"},
		Help: "Faults of the disk and limits of the system that uploads and downloads have met, by what failed and why.",
		Notes: "`full`: no space, no inodes, or a quota of the system; `limit`: too many open files, or a limit on their size; `read_only` and `permission`: " +
			"the system doesn't let the server write; `io`: whatever else the disk says. What `--min-free` and `--quota` refuse is no fault: " +
			"it is counted in `sluice_requests_refused_total` as `no_space`.",
		Query: `sum by (operation, kind) (rate(sluice_storage_errors_total[5m])) > 0`,
	}
)

var (
	storageOperations = []string{"create", "write", "sync", "publish", "read"}
	storageFaults     = []string{"full", "limit", "read_only", "permission", "io"}
)

// Disk is told what the disk does. All methods may be called concurrently; they
// take no lock.
type Disk struct {
	direct, buffered prometheus.Observer
	file, folder     prometheus.Observer
	errors           *prometheus.CounterVec

	collectors []prometheus.Collector
}

func newDisk() *Disk {
	seconds := []float64{.0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3, 10}
	writes, syncs := storageWrite.histogram(seconds), storageSync.histogram(seconds)
	d := &Disk{
		direct: writes.WithLabelValues("direct"), buffered: writes.WithLabelValues("buffered"),
		file: syncs.WithLabelValues("file"), folder: syncs.WithLabelValues("folder"),
		errors: storageErrors.counterVec(),
	}
	for _, operation := range storageOperations {
		for _, kind := range storageFaults {
			d.errors.WithLabelValues(operation, kind)
		}
	}
	d.collectors = []prometheus.Collector{writes, syncs, d.errors}
	return d
}

// Wrote counts a write past the page cache (direct) or through it.
func (d *Disk) Wrote(direct bool, took time.Duration) {
	if direct {
		d.direct.Observe(took.Seconds())
	} else {
		d.buffered.Observe(took.Seconds())
	}
}

// Synced counts a sync of a file or a folder.
func (d *Disk) Synced(folder bool, took time.Duration) {
	if folder {
		d.folder.Observe(took.Seconds())
	} else {
		d.file.Observe(took.Seconds())
	}
}

// Failed counts a fault of a kind that an operation has met.
func (d *Disk) Failed(operation, kind string) { d.errors.WithLabelValues(operation, kind).Inc() }
