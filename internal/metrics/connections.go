package metrics

import "github.com/prometheus/client_golang/prometheus"

var (
	connectionsOpen = Definition{
		Name: "sluice_connections_open", Type: Gauge,
		Help:  "Connections that clients have open to the public listener.",
		Query: `sluice_connections_open / (sluice_connections_limit > 0)`,
	}
	connectionsLimit = Definition{
		Name: "sluice_connections_limit", Type: Gauge,
		Help: "Connections that may be open at a time, 0 without a limit.",
	}
	connectionsAccepted = Definition{
		Name: "sluice_connections_accepted_total", Type: Counter,
		Help:  "Connections that were let in.",
		Query: `rate(sluice_connections_accepted_total[5m])`,
	}
	connectionsRefused = Definition{
		Name: "sluice_connections_refused_total", Type: Counter, Labels: []string{"limit"},
		Help:  "Connections that were turned away, by the limit that they would have passed.",
		Notes: "`total` is `--max-connections`, `client` is `--max-connections-per-client`. Nothing was read on them, so they are no refused requests.",
		Query: `sum by (limit) (rate(sluice_connections_refused_total[5m])) > 0`,
	}
)

// ConnectionStats is the state of the public listener.
type ConnectionStats struct {
	Open, Limit   int64 // now, and at most; Limit is 0 for no bound
	Accepted      int64 // since the start
	RefusedTotal  int64 // beyond the limit on all connections
	RefusedClient int64 // beyond the limit on those of one client
}

// newConnectionCollector reads the listener's counts at each scrape.
func newConnectionCollector(read func() ConnectionStats) prometheus.Collector {
	return newCollector(func(emit emit) {
		stats := read()
		emit(connectionsOpen, float64(stats.Open))
		emit(connectionsLimit, float64(stats.Limit))
		emit(connectionsAccepted, float64(stats.Accepted))
		emit(connectionsRefused, float64(stats.RefusedTotal), "total")
		emit(connectionsRefused, float64(stats.RefusedClient), "client")
	}, connectionsOpen, connectionsLimit, connectionsAccepted, connectionsRefused)
}
