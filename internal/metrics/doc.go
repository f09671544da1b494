// Package metrics is everything that sluice tells Prometheus: the names, types,
// labels and meanings ([Definitions]), the collectors behind them, and the
// handler that a scrape reaches.
//
// Counts are not kept here. The hot path moves atomics in the transfer registry
// and the block pool, and a scrape reads them. What is fed is fed seldom: the
// histograms of transfers by [Metrics.ObserveEnd], once for each that ends, those
// of the disk by [Metrics.Disk], once for each block and sync, without a lock, and
// counts of refusals, once for each. The registry wants
// that function when it is made, and New wants the registry, so the server ties
// the two:
//
//	var m *metrics.Metrics
//	registry := transfer.New(transfer.Options{OnEnd: func(r transfer.Record) { m.ObserveEnd(r) }})
//	m = metrics.New(metrics.Sources{Transfers: registry})
//
// Labels are bounded whatever clients send: directions, protocols, results,
// reasons and the like are closed sets. Only the series of running transfers, at
// most [Sources.LiveTransfers] of them, have a transfer's id and its client's
// address, and they go with it. No name or error text is ever a label.
//
// The package knows transfers and Prometheus, and nothing of storage, HTTP
// routes or configuration. It has no state outside of [Metrics].
package metrics
