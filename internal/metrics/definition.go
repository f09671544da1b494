package metrics

import "github.com/prometheus/client_golang/prometheus"

// Type is a metric's type, in Prometheus' words.
type Type string

// The types in use.
const (
	Counter   Type = "counter"
	Gauge     Type = "gauge"
	Histogram Type = "histogram"
)

// Definition describes a metric: what a scrape says of it, and what the
// documentation adds.
type Definition struct {
	Name   string
	Type   Type
	Unit   string // "" for a count
	Labels []string
	Help   string // one sentence, the scrape's HELP line
	Notes  string // what else to know, "" where nothing
	Query  string // an example in PromQL, "" where the metric explains itself
}

// Definitions returns every metric of sluice's own in the order of the
// documentation. Those of the Go runtime, the process and the scrape handler
// (go_, process_, promhttp_) are not among them.
func Definitions() []Definition {
	return []Definition{
		transfersInFlight, transfersStarted, transfersFinished, transferBytes,
		transferBytesPerSecond, transferDuration, transferSize, transferStage,
		transferRate, transferRateDropped,
		bufferInUse, bufferLimit, bufferWaits, bufferWaited,
		storageBytes, storageWrite, storageSync, storageErrors, storageFree, storageReserved, storageUsed, storageQuota,
		connectionsOpen, connectionsLimit, connectionsAccepted, connectionsRefused, refusals, credentials,
		tusOpen, tusBytes, tusExpired, tusLockWaits,
		webhookDeliveries, webhookQueue, webhookQueueBytes, vetoes,
		certificateNotAfter, handshakeFailures, ready, reloadSuccessful, reloadTimestamp, buildInfo,
	}
}

func (d Definition) counterVec() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: d.Name, Help: d.Help}, d.Labels)
}

func (d Definition) counter() prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: d.Name, Help: d.Help})
}

// family makes the samples of one counter or gauge.
type family struct {
	desc      *prometheus.Desc
	valueType prometheus.ValueType
}

func (d Definition) family() family {
	valueType := prometheus.GaugeValue
	if d.Type == Counter {
		valueType = prometheus.CounterValue
	}
	return family{prometheus.NewDesc(d.Name, d.Help, d.Labels, nil), valueType}
}

func (f family) sample(value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(f.desc, f.valueType, value, labels...)
}
