// Package live shows the numbers of a load test while it runs, to Prometheus.
//
// It owns the metrics, whose names begin with sluice_load_, and the listener that
// they are fetched from. It takes them from the rows of package record as any
// other reader of a run does, and knows nothing of how work is done.
package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sluice/loadtest/record"
)

// Exporter is a sink that tells what it is given under /metrics. It is safe for
// concurrent use.
type Exporter struct {
	registry  *prometheus.Registry
	bytes     *prometheus.CounterVec
	inFlight  *prometheus.GaugeVec
	transfers *prometheus.CounterVec
	latency   *prometheus.HistogramVec
	firstByte *prometheus.HistogramVec
	repeats   prometheus.Counter
	serverRSS prometheus.Gauge
	lost      prometheus.Counter
}

// NewExporter returns an exporter with a registry of its own.
func NewExporter() *Exporter {
	// From 1 ms to 70 minutes.
	buckets := prometheus.ExponentialBuckets(0.001, 2, 23)
	e := &Exporter{
		registry: prometheus.NewRegistry(),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "sluice_load_bytes_total", Help: "Bytes of files moved, counted once a second.",
		}, []string{"direction"}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "sluice_load_in_flight", Help: "Transfers under way at the end of the last second.",
		}, []string{"side", "agent"}),
		transfers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "sluice_load_transfers_total", Help: "Transfers that have ended, with the kind of error of those that failed.",
		}, []string{"scenario", "result"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "sluice_load_latency_seconds", Help: "From when a transfer was due to the end of its answer, of those that succeeded.", Buckets: buckets,
		}, []string{"scenario"}),
		firstByte: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "sluice_load_first_byte_seconds", Help: "From the start of a transfer to the first byte of its answer, of those that succeeded.", Buckets: buckets,
		}, []string{"scenario"}),
		repeats: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "sluice_load_repeats_total", Help: "Repeats that have ended.",
		}),
		serverRSS: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "sluice_load_server_memory_bytes", Help: "Resident memory of the server's processes, 0 if unknown.",
		}),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "sluice_load_agents_lost_total", Help: "Agents that were lost.",
		}),
	}
	e.registry.MustRegister(e.bytes, e.inFlight, e.transfers, e.latency, e.firstByte, e.repeats, e.serverRSS, e.lost)
	return e
}

// Write takes a row. It never fails.
func (e *Exporter) Write(row record.Row) error {
	switch row := row.(type) {
	case *record.Second:
		e.bytes.WithLabelValues(string(record.Up)).Add(float64(max(0, row.Up)))
		e.bytes.WithLabelValues(string(record.Down)).Add(float64(max(0, row.Down)))
		e.inFlight.WithLabelValues(row.Side, row.Agent).Set(float64(row.InFlight))
	case *record.Transfer:
		e.addTransfer(row)
	case *record.Repeat:
		e.repeats.Inc()
	case *record.Usage:
		e.serverRSS.Set(float64(row.ServerRSS))
	case *record.Lost:
		e.lost.Inc()
	}
	return nil
}

func (e *Exporter) addTransfer(t *record.Transfer) {
	if t.Error != nil {
		e.transfers.WithLabelValues(t.Scenario, string(t.Error.Kind)).Inc()
		return
	}
	e.transfers.WithLabelValues(t.Scenario, "ok").Inc()
	e.latency.WithLabelValues(t.Scenario).Observe(max(0, t.Start-t.Due) + t.Seconds)
	if t.FirstByte > 0 {
		e.firstByte.WithLabelValues(t.Scenario).Observe(t.FirstByte)
	}
}

// Listen serves the metrics on address until the function that it returns is
// called, which waits for the listener's end. It returns the address that it has
// got.
func (e *Exporter) Listen(address string) (net.Addr, func(), error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("metrics of the tester: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(e.registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// It ends by being closed, and scrapes that come later fail.
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return
		}
	}()
	return listener.Addr(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
		<-ended
	}, nil
}
