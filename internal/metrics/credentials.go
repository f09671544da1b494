package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"sluice/internal/auth"
)

var credentials = Definition{
	Name: "sluice_credentials_total", Type: Counter, Labels: []string{"method", "result"},
	Help: "Credentials that requests have shown, by the way they were shown and what became of them.",
	Notes: "`method`: `token` (Bearer or Basic), `session` (a browser's cookie), `link`, `jwt`, `proxy` (its user). `result`: `accepted`; `rejected`: wrong or revoked; " +
		"`expired`; `throttled`: not looked at, for its client has failed too often; `undecided`: the issuer's keys couldn't be had. Whether the caller may do " +
		"what they ask for is decided after that: `sluice_requests_refused_total{reason=\"scope\"}`.",
	Query: `sum by (method) (rate(sluice_credentials_total{result=~"rejected|throttled"}[5m]))`,
}

// newCredentials makes the counter with all its series.
func newCredentials() *prometheus.CounterVec {
	c := credentials.counterVec()
	for _, method := range auth.Methods() {
		for _, result := range auth.Results() {
			c.WithLabelValues(string(method), string(result))
		}
	}
	return c
}

// ObserveCredential counts what became of a credential. It is meant for
// [auth.Options.Report].
func (m *Metrics) ObserveCredential(method auth.Method, result auth.Result) {
	m.credentials.WithLabelValues(string(method), string(result)).Inc()
}
