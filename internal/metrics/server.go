package metrics

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	refusals = Definition{
		Name: "sluice_requests_refused_total", Type: Counter, Labels: []string{"reason"},
		Help: "Requests that were answered with a problem, by reason.",
		Notes: "Each request counts once, refused by its head or failed on its way. The reasons are those of the table of problems. " +
			"`malformed`: broken or ambiguous framing; `timeout`: the head didn't arrive within `--header-timeout`; `target_too_long` and `head_too_large`: " +
			"beyond `--max-header-size`; `expectation`, `unsupported` and `version`: what this server doesn't speak; `stalled` and `slow`: the body stopped or crawled; " +
			"`no_space`: the disk, `--min-free` or `--quota`; `crowded`: `--max-transfers` or its limit per client; `internal`: a fault of the server, whose log has the cause.",
		Query: `sum by (reason) (rate(sluice_requests_refused_total[5m]))`,
	}
	ready = Definition{
		Name: "sluice_ready", Type: Gauge,
		Help: "1 while the server takes new transfers, as /readyz says, else 0.",
	}
	reloadSuccessful = Definition{
		Name: "sluice_config_last_reload_successful", Type: Gauge,
		Help:  "1 if the last reload of the settings was taken, 0 if it was refused and changed nothing.",
		Query: `sluice_config_last_reload_successful == 0`,
	}
	reloadTimestamp = Definition{
		Name: "sluice_config_last_reload_success_timestamp_seconds", Type: Gauge, Unit: "seconds",
		Help: "When settings were taken last, by a reload or the start, as Unix time.",
	}
	buildInfo = Definition{
		Name: "sluice_build_info", Type: Gauge, Labels: []string{"version", "revision", "goversion"},
		Help:  "Always 1; the labels say what is running.",
		Query: `count by (version) (sluice_build_info)`,
	}
)

// newRefusals makes the counter with a series for each reason, so that the first
// refusal is a rise from 0.
func newRefusals(reasons []string) *prometheus.CounterVec {
	c := refusals.counterVec()
	for _, reason := range reasons {
		c.WithLabelValues(reason)
	}
	return c
}

func newReadyGauge(isReady func() bool) prometheus.Collector {
	return newGauge(ready, func() float64 { return oneIf(isReady()) })
}

func newReloadGauges(last func() ReloadStats) []prometheus.Collector {
	return []prometheus.Collector{
		newGauge(reloadSuccessful, func() float64 { return oneIf(last().Successful) }),
		newGauge(reloadTimestamp, func() float64 { return float64(last().SucceededAt.UnixMilli()) / 1e3 }),
	}
}

func newGauge(d Definition, read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: d.Name, Help: d.Help}, read)
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func newBuildInfo(version, revision string) prometheus.Collector {
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: buildInfo.Name, Help: buildInfo.Help}, buildInfo.Labels)
	info.WithLabelValues(version, revision, runtime.Version()).Set(1)
	return info
}
