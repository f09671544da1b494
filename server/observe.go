package server

import (
	"sluice/handlers"
	"sluice/internal/blocks"
	"sluice/internal/metrics"
	"sluice/internal/transfer"
	"sluice/storage/local"
)

// observe makes the transfer registry and the metrics that read it. Every
// transfer that ends is counted, traced and logged. The parts that the metrics read are
// made later; no scrape comes before all of them are there.
func (s *Server) observe(pool *blocks.Pool) *metrics.Metrics {
	var m *metrics.Metrics
	s.transfers = transfer.New(transfer.Options{OnEnd: func(r transfer.Record) {
		m.ObserveEnd(r)
		logTransfer(s.log, r, s.tracer.Ended(r))
	}})
	src := metrics.Sources{
		Transfers:           s.transfers,
		LiveTransfers:       s.opts.Config.MetricsLiveTransfers,
		Version:             s.opts.Version,
		Revision:            revision(),
		Reasons:             handlers.Reasons(),
		Ready:               s.isReady,
		Reload:              func() metrics.ReloadStats { return *s.reloads.last.Load() },
		Blocks:              func() metrics.BlockStats { return blockStats(pool.Stats()) },
		Storage:             func() metrics.StorageStats { return storageStats(s.store) },
		CertificateNotAfter: s.certificateNotAfter,
		Connections:         func() metrics.ConnectionStats { return connectionStats(s.public) },
		Resumables: func() metrics.ResumableStats {
			stats := s.store.Resumables()
			return metrics.ResumableStats{Open: stats.Open, Bytes: stats.Bytes}
		},
	}
	s.observeHooks(&src)
	m = metrics.New(src)
	return m
}

func blockStats(s blocks.Stats) metrics.BlockStats {
	return metrics.BlockStats{BytesInUse: s.Lent, BytesLimit: s.Budget, Waits: int64(s.Waits), Waited: s.Waited}
}

func storageStats(store *local.Store) metrics.StorageStats {
	stats, space := store.Stats(), store.Space()
	return metrics.StorageStats{
		Free:            space.Free,
		Reserved:        space.Reserved,
		Used:            space.Used,
		Quota:           space.Quota,
		WrittenDirect:   stats.WrittenDirect.Load(),
		WrittenBuffered: stats.WrittenBuffered.Load(),
		ReadDirect:      stats.ReadDirect.Load(),
		ReadBuffered:    stats.ReadBuffered.Load(),
	}
}

func connectionStats(l *listener) metrics.ConnectionStats {
	open, limit, counts := l.stats()
	return metrics.ConnectionStats{
		Open:          int64(open),
		Limit:         int64(limit),
		Accepted:      counts.accepted,
		RefusedTotal:  counts.beyondTotal,
		RefusedClient: counts.beyondPerClient,
	}
}

// disk hands what the store tells of the disk to the metrics.
type disk struct{ *metrics.Disk }

// Failed implements local.Observer.
func (d disk) Failed(operation local.Operation, fault local.Fault) {
	d.Disk.Failed(string(operation), string(fault))
}
