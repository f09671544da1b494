package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sluice/internal/hooks"
	"sluice/internal/transfer"
)

// Sources is what the metrics are read from.
type Sources struct {
	// Transfers is required.
	Transfers *transfer.Registry
	// LiveTransfers is how many running transfers, the oldest ones, have a
	// series with their rate: the bound on series that come and go. 0 or less
	// means none.
	LiveTransfers int
	// Version and Revision of this build.
	Version, Revision string
	// Blocks reads the block pool. Nil leaves its metrics out.
	Blocks func() BlockStats
	// Storage reads the store's counters. Nil leaves its metrics out.
	Storage func() StorageStats
	// Webhook and Veto read what has become of events, and of what was asked
	// before uploads. Nil leaves their metrics out.
	Webhook func() hooks.Stats
	Veto    func() map[hooks.Decision]int64
	// Connections reads the public listener, and Resumables the resumable
	// uploads. Nil leaves their metrics out.
	Connections func() ConnectionStats
	Resumables  func() ResumableStats
	// CertificateNotAfter is when the first of the TLS certificates in use ends,
	// zero while there is none. Nil leaves the metric out.
	CertificateNotAfter func() time.Time
	// Reasons are what [Metrics.ObserveRefusal] will be told: each has a series
	// from the start.
	Reasons []string
	// Ready says whether the server takes new transfers. Nil leaves the metric out.
	Ready func() bool
	// Reload tells of the last reload of the settings. Nil leaves its metrics out.
	Reload func() ReloadStats
}

// ReloadStats tells of the last reload of the settings, or of the start.
type ReloadStats struct {
	Successful  bool
	SucceededAt time.Time // when one was successful last
}

// BlockStats is the state of the block pool.
type BlockStats struct {
	BytesInUse int64         // lent to transfers now
	BytesLimit int64         // the budget
	Waits      int64         // times a transfer had to wait for a block, since the start
	Waited     time.Duration // in all waits that have ended
}

// StorageStats counts the bytes that went to and from the disk since the start,
// and tells the space there is.
type StorageStats struct {
	WrittenDirect, WrittenBuffered int64
	ReadDirect, ReadBuffered       int64

	Free     int64 // bytes that the file system would still take, -1 for unknown
	Reserved int64 // bytes declared by unfinished uploads and not received
	Used     int64 // bytes that count for the quota
	Quota    int64 // bytes, 0 for none
}

// Metrics is the set of all metrics of one server.
type Metrics struct {
	handler     http.Handler
	histograms  histograms
	disk        *Disk
	refusals    *prometheus.CounterVec
	credentials *prometheus.CounterVec
	tus         tusEvents
	handshakes  prometheus.Counter
}

// New returns the metrics that read src.
func New(src Sources) *Metrics {
	registry := prometheus.NewRegistry()
	m := &Metrics{histograms: newHistograms(), disk: newDisk(), refusals: newRefusals(src.Reasons), credentials: newCredentials(), tus: newTusEvents()}
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		newBuildInfo(src.Version, src.Revision),
		newTransferCollector(src.Transfers, src.LiveTransfers),
		m.histograms.rate, m.histograms.duration, m.histograms.size, m.histograms.stage,
		m.refusals, m.credentials, m.tus.expired, m.tus.lockWaits,
	)
	m.handshakes = newHandshakeFailures()
	registry.MustRegister(m.handshakes)
	registry.MustRegister(m.disk.collectors...)
	src.register(registry)
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		Registry: registry,
		// At night a part of the metrics is better than none; what is
		// missing shows in promhttp_metric_handler_errors_total.
		ErrorHandling: promhttp.ContinueOnError,
	})
	return m
}

// Handler returns the handler of scrapes.
func (m *Metrics) Handler() http.Handler { return m.handler }

// ObserveEnd counts a transfer that has ended in the histograms. It is meant
// for [transfer.Options.OnEnd].
func (m *Metrics) ObserveEnd(r transfer.Record) { m.histograms.observe(r) }

// Disk returns what wants to be told of writes, syncs and faults.
func (m *Metrics) Disk() *Disk { return m.disk }

// ObserveRefusal counts a request that was answered with a problem for one of
// [Sources.Reasons].
func (m *Metrics) ObserveRefusal(reason string) { m.refusals.WithLabelValues(reason).Inc() }

// ObserveLockWait counts a tus request that waits for another one on the same
// upload.
func (m *Metrics) ObserveLockWait() { m.tus.lockWaits.Inc() }

// ObserveExpired counts a resumable upload that was removed unfinished.
func (m *Metrics) ObserveExpired() { m.tus.expired.Inc() }

// ObserveHandshakeFailure counts a TLS handshake that came to nothing.
func (m *Metrics) ObserveHandshakeFailure() { m.handshakes.Inc() }

// register adds the collectors of the sources that there are.
func (src Sources) register(registry *prometheus.Registry) {
	if src.Blocks != nil {
		registry.MustRegister(newBlockCollector(src.Blocks))
	}
	if src.Storage != nil {
		registry.MustRegister(newStorageCollector(src.Storage))
	}
	if src.Connections != nil {
		registry.MustRegister(newConnectionCollector(src.Connections))
	}
	if src.Resumables != nil {
		registry.MustRegister(newTusCollector(src.Resumables))
	}
	if src.Webhook != nil {
		registry.MustRegister(newWebhookCollector(src.Webhook))
	}
	if src.Veto != nil {
		registry.MustRegister(newVetoCollector(src.Veto))
	}
	if src.CertificateNotAfter != nil {
		registry.MustRegister(newCertificateCollector(src.CertificateNotAfter))
	}
	if src.Ready != nil {
		registry.MustRegister(newReadyGauge(src.Ready))
	}
	if src.Reload != nil {
		registry.MustRegister(newReloadGauges(src.Reload)...)
	}
}
