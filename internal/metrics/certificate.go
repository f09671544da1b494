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

// newCertificateCollector asks for the end of the certificates at each scrape.
func newCertificateCollector(read func() time.Time) prometheus.Collector {
	return newCollector(func(emit emit) {
		if notAfter := read(); !notAfter.IsZero() {
			emit(certificateNotAfter, float64(notAfter.Unix()))
		}
	}, certificateNotAfter)
}
