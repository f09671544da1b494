package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var certificateNotAfter = Definition{
	Name: "sluice_tls_certificate_not_after_timestamp_seconds", Type: Gauge, Unit: "seconds",
	Help:  "When the first of the certificates in use ends, in Unix time.",
	Notes: "There is no such series without TLS.",
	Query: `(sluice_tls_certificate_not_after_timestamp_seconds - time()) / 86400`,
}

var handshakeFailures = Definition{
	Name: "sluice_tls_handshake_failures_total", Type: Counter,
	Help:  "TLS handshakes that came to nothing.",
	Notes: "Clients that are too old, don't trust the certificate, fall silent or speak plain HTTP. One that leaves without a word is none.",
	Query: `rate(sluice_tls_handshake_failures_total[5m]) > 1`,
}

func newHandshakeFailures() prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: handshakeFailures.Name, Help: handshakeFailures.Help})
}

// certificateCollector asks for the end of the certificates at each scrape.
type certificateCollector struct {
	read     func() time.Time
	notAfter family
}

func newCertificateCollector(read func() time.Time) *certificateCollector {
	return &certificateCollector{read, certificateNotAfter.family()}
}

// Describe implements [prometheus.Collector].
func (c *certificateCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.notAfter.desc }

// Collect implements [prometheus.Collector].
func (c *certificateCollector) Collect(ch chan<- prometheus.Metric) {
	if notAfter := c.read(); !notAfter.IsZero() {
		ch <- c.notAfter.sample(float64(notAfter.Unix()))
	}
}
