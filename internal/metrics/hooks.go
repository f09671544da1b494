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

// newWebhookCollector reads the webhook's counts at each scrape.
func newWebhookCollector(read func() hooks.Stats) prometheus.Collector {
	return newCollector(func(emit emit) {
		stats := read()
		for _, d := range hooks.Deliveries() {
			emit(webhookDeliveries, float64(stats.Deliveries[d]), string(d.Type), string(d.Result))
		}
		emit(webhookQueue, float64(stats.Events))
		emit(webhookQueueBytes, float64(stats.Bytes))
	}, webhookDeliveries, webhookQueue, webhookQueueBytes)
}

// newVetoCollector reads the veto's decisions at each scrape.
func newVetoCollector(read func() map[hooks.Decision]int64) prometheus.Collector {
	return newCollector(func(emit emit) {
		counts := read()
		for _, d := range hooks.Decisions() {
			emit(vetoes, float64(counts[d]), string(d))
		}
	}, vetoes)
}
