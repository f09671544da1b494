package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"sluice/internal/hooks"
)

var (
	webhookDeliveries = Definition{
		Name: "sluice_webhook_deliveries_total", Type: Counter, Labels: []string{"event", "result"},
		Help: "Events of uploads for the webhook, by what became of them.",
		Notes: "`delivered`: the receiver has it; `gone`: the receiver answered 410; `retried`: an attempt failed and another one follows; `expired`: given up after " +
			"`--webhook-max-age`; `refused`: lost, for the queue is full or can't be written. An event whose file can't be read is `unknown` and `damaged`. " +
			"There is no such series without `--webhook-url`.",
		Query: `sum by (result) (rate(sluice_webhook_deliveries_total[5m]))`,
	}
	webhookQueue = Definition{
		Name: "sluice_webhook_queue_events", Type: Gauge,
		Help:  "Events that wait to be delivered.",
		Notes: "One that doesn't fall for long says that the receiver is down or too slow: events go one after the other.",
		Query: `min_over_time(sluice_webhook_queue_events[10m]) > 0`,
	}
	webhookQueueBytes = Definition{
		Name: "sluice_webhook_queue_bytes", Type: Gauge, Unit: "bytes",
		Help: "Bytes of the events that wait to be delivered.",
	}
	vetoes = Definition{
		Name: "sluice_webhook_vetoes_total", Type: Counter, Labels: []string{"decision"},
		Help: "Uploads that the veto was asked about, by its decision.",
		Notes: "`unanswered` uploads went on or were refused, as `--webhook-veto-failure` has it. " +
			"There is no such series without `--webhook-veto-url`.",
		Query: `rate(sluice_webhook_vetoes_total{decision="unanswered"}[5m]) > 0`,
	}
)

// webhookCollector reads the webhook's counts at each scrape.
type webhookCollector struct {
	read                     func() hooks.Stats
	deliveries, queue, bytes family
}

func newWebhookCollector(read func() hooks.Stats) *webhookCollector {
	return &webhookCollector{read, webhookDeliveries.family(), webhookQueue.family(), webhookQueueBytes.family()}
}

// Describe implements [prometheus.Collector].
func (c *webhookCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range []family{c.deliveries, c.queue, c.bytes} {
		ch <- f.desc
	}
}

// Collect implements [prometheus.Collector].
func (c *webhookCollector) Collect(ch chan<- prometheus.Metric) {
	stats := c.read()
	for _, d := range hooks.Deliveries() {
		ch <- c.deliveries.sample(float64(stats.Deliveries[d]), string(d.Type), string(d.Result))
	}
	ch <- c.queue.sample(float64(stats.Events))
	ch <- c.bytes.sample(float64(stats.Bytes))
}

// vetoCollector reads the veto's decisions at each scrape.
type vetoCollector struct {
	read   func() map[hooks.Decision]int64
	vetoes family
}

func newVetoCollector(read func() map[hooks.Decision]int64) *vetoCollector {
	return &vetoCollector{read, vetoes.family()}
}

// Describe implements [prometheus.Collector].
func (c *vetoCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.vetoes.desc }

// Collect implements [prometheus.Collector].
func (c *vetoCollector) Collect(ch chan<- prometheus.Metric) {
	counts := c.read()
	for _, d := range hooks.Decisions() {
		ch <- c.vetoes.sample(float64(counts[d]), string(d))
	}
}
