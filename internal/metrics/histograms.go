package metrics

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"

	"sluice/internal/transfer"
)

const kib = 1 << 10

// nativeBucketLimit bounds the memory of a native histogram. Past it the
// resolution is halved; nothing is ever reset.
const nativeBucketLimit = 160

// byClass has the size class beside the kind: without it the rates and times of
// a thousand small files would hide those of a large one.
var byClass = []string{"direction", "protocol", "size"}

// sizeClasses are bounded by the bytes that a transfer of them stays below.
var sizeClasses = []struct {
	name  string
	below int64
}{{"small", 1 << 20}, {"medium", 64 << 20}, {"large", 1 << 30}, {"huge", math.MaxInt64}}

const sizeClassNote = "`size` is `small` below 1 MiB, `medium` below 64 MiB, `large` below 1 GiB and else `huge`."

func sizeClass(bytes int64) string {
	for _, class := range sizeClasses {
		if bytes < class.below {
			return class.name
		}
	}
	return sizeClasses[len(sizeClasses)-1].name
}

var (
	transferBytesPerSecond = Definition{
		Name: "sluice_transfer_bytes_per_second", Type: Histogram, Unit: "bytes per second", Labels: byClass,
		Help: "Mean rate of each transfer that ended ok.",
		Notes: sizeClassNote + " Transfers without a byte are left out: they have no rate. Classic buckets double from 64 KiB/s to 16 GiB/s; " +
			"scraped as a native histogram a bucket is at most 10 % wide.",
		Query: `histogram_quantile(0.5, sum by (le, direction, protocol) (rate(sluice_transfer_bytes_per_second_bucket[5m])))`,
	}
	transferDuration = Definition{
		Name: "sluice_transfer_duration_seconds", Type: Histogram, Unit: "seconds", Labels: byClass,
		Help:  "Time from the beginning to the end of each transfer that ended ok.",
		Notes: sizeClassNote + " The end of an upload comes after its file is synced and published, so that time is in it.",
		Query: `histogram_quantile(0.99, sum by (le, protocol) (rate(sluice_transfer_duration_seconds_bucket{size="small"}[5m])))`,
	}
	transferSize = Definition{
		Name: "sluice_transfer_size_bytes", Type: Histogram, Unit: "bytes", Labels: byKind,
		Help:  "Bytes moved by each transfer that ended ok.",
		Notes: "A ranged download counts the bytes of its range.",
		Query: `histogram_quantile(0.9, sum by (le, direction) (rate(sluice_transfer_size_bytes_bucket[1h])))`,
	}
)

var transferStage = Definition{
	Name: "sluice_transfer_stage_seconds_total", Type: Counter, Unit: "seconds",
	Labels: []string{"direction", "protocol", "stage"},
	Help:   "Time that ended transfers spent in each stage.",
	Notes: "`socket`: waiting for the client to send or take bytes. `buffer`: waiting for a free block, because the other end was slower or the budget spent. " +
		"`disk`: writing or reading. `digest`: computing checksums. `sync`: making data and folders durable. " +
		"Socket and disk overlap, so the sum may pass the transfers' duration.",
	Query: `sum by (stage) (rate(sluice_transfer_stage_seconds_total[5m]))`,
}

// histograms are fed by each transfer that ends.
type histograms struct {
	rate, duration, size *prometheus.HistogramVec
	stage                *prometheus.CounterVec
}

func newHistograms() histograms {
	var (
		to16GiBPerSecond = prometheus.ExponentialBuckets(64*kib, 2, 19)
		to64GiB          = prometheus.ExponentialBuckets(4*kib, 4, 13)
		toThreeHours     = []float64{.01, .03, .1, .3, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000}
	)
	h := histograms{
		rate:     transferBytesPerSecond.histogram(to16GiBPerSecond),
		duration: transferDuration.histogram(toThreeHours),
		size:     transferSize.histogram(to64GiB),
		stage:    transferStage.counterVec(),
	}
	for _, k := range transfer.Kinds() {
		h.startAtZero(string(k.Direction), string(k.Protocol))
	}
	return h
}

func (d Definition) histogram(buckets []float64) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: d.Name, Help: d.Help,
		Buckets:                        buckets,
		NativeHistogramBucketFactor:    1.1,
		NativeHistogramMaxBucketNumber: nativeBucketLimit,
	}, d.Labels)
}

// startAtZero makes the series of a kind exist before its first transfer ends,
// so that rate() sees that one.
func (h histograms) startAtZero(direction, protocol string) {
	h.size.WithLabelValues(direction, protocol)
	for _, stage := range (transfer.Stages{}).List() {
		h.stage.WithLabelValues(direction, protocol, stage.Name)
	}
	for _, class := range sizeClasses {
		h.rate.WithLabelValues(direction, protocol, class.name)
		h.duration.WithLabelValues(direction, protocol, class.name)
	}
}

func (h histograms) observe(r transfer.Record) {
	direction, protocol := string(r.Direction), string(r.Protocol)
	for _, stage := range r.Stages.List() {
		h.stage.WithLabelValues(direction, protocol, stage.Name).Add(stage.Time.Seconds())
	}
	if r.Result != transfer.ResultOK {
		return
	}
	class := sizeClass(r.Bytes)
	h.size.WithLabelValues(direction, protocol).Observe(float64(r.Bytes))
	h.duration.WithLabelValues(direction, protocol, class).Observe(r.Elapsed.Seconds())
	if r.Bytes > 0 {
		h.rate.WithLabelValues(direction, protocol, class).Observe(r.MeanRate)
	}
}
