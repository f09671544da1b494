// Package metrics is everything that sluice tells Prometheus: the names, types,
// labels and meanings ([Definitions]), the collectors behind them, and the
// handler that a scrape reaches.
//
// Counts are not kept here. The hot path moves atomics in the transfer registry
// and the block pool, and a scrape reads them; only histograms are fed, by
// [Metrics.ObserveEnd], once for each transfer that ends. The registry wants
// that function when it is made, and New wants the registry, so the server ties
// the two:
//
//	var m *metrics.Metrics
//	registry := transfer.New(transfer.Options{OnEnd: func(r transfer.Record) { m.ObserveEnd(r) }})
//	m = metrics.New(metrics.Sources{Transfers: registry})
//
// Labels are bounded whatever clients send: directions, protocols and results
// are closed sets, and the id of a running transfer labels one series of at
// most [Sources.LiveTransfers]. No name, address or error text is ever a label.
//
// The package knows transfers and Prometheus, and nothing of storage, HTTP
// routes or configuration. It has no state outside of [Metrics].
package metrics
