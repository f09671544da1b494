package metrics

import "github.com/prometheus/client_golang/prometheus"

var (
	tusOpen = Definition{
		Name: "sluice_tus_uploads_open", Type: Gauge,
		Help:  "Resumable uploads that are begun and not finished, whether anybody sends to them or not.",
		Notes: "Uploads by the IETF's draft are among them.",
	}
	tusBytes = Definition{
		Name: "sluice_tus_uploads_open_bytes", Type: Gauge, Unit: "bytes",
		Help:  "Bytes of open resumable uploads that have come and stand on the disk.",
		Query: `sluice_tus_uploads_open_bytes / on (job, instance) sluice_storage_free_bytes`,
	}
	tusExpired = Definition{
		Name: "sluice_tus_uploads_expired_total", Type: Counter,
		Help:  "Resumable uploads that were removed unfinished after `--upload-expiry`.",
		Query: `increase(sluice_tus_uploads_expired_total[1d])`,
	}
	tusLockWaits = Definition{
		Name: "sluice_tus_lock_waits_total", Type: Counter,
		Help:  "Times a tus request met another one on the same upload and asked it to stop.",
		Notes: "Clients that resume while the server doesn't know yet that their old connection is dead, or several at work on one upload.",
		Query: `rate(sluice_tus_lock_waits_total[5m])`,
	}
)

// ResumableStats is the state of the resumable uploads.
type ResumableStats struct {
	Open  int64 // unfinished ones
	Bytes int64 // of them that have come
}

// tusEvents counts what happens to resumable uploads.
type tusEvents struct{ expired, lockWaits prometheus.Counter }

func newTusEvents() tusEvents { return tusEvents{tusExpired.counter(), tusLockWaits.counter()} }

// newTusCollector reads the store's resumable uploads at each scrape.
func newTusCollector(read func() ResumableStats) prometheus.Collector {
	return newCollector(func(emit emit) {
		stats := read()
		emit(tusOpen, float64(stats.Open))
		emit(tusBytes, float64(stats.Bytes))
	}, tusOpen, tusBytes)
}
