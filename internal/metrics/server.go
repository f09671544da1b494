package metrics

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	ready = Definition{
		Name: "sluice_ready", Type: Gauge,
		Help: "1 while the server takes new transfers, as /readyz says, else 0.",
	}
	buildInfo = Definition{
		Name: "sluice_build_info", Type: Gauge, Labels: []string{"version", "revision", "goversion"},
		Help:  "Always 1; the labels say what is running.",
		Query: `count by (version) (sluice_build_info)`,
	}
)

func newReadyGauge(isReady func() bool) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: ready.Name, Help: ready.Help}, func() float64 {
		if isReady() {
			return 1
		}
		return 0
	})
}

func newBuildInfo(version, revision string) prometheus.Collector {
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: buildInfo.Name, Help: buildInfo.Help}, buildInfo.Labels)
	info.WithLabelValues(version, revision, runtime.Version()).Set(1)
	return info
}
