package tracing_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"sluice/internal/tracing"
	"sluice/internal/transfer"
)

// receiver is a collector.
type receiver struct {
	url string

	mu    sync.Mutex
	spans []*tracepb.Span
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := new(receiver)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		var export collector.ExportTraceServiceRequest
		if err = errors.Join(err, proto.Unmarshal(body, &export)); err != nil || req.URL.Path != "/v1/traces" {
			t.Errorf("export to %s: %v", req.URL, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, resource := range export.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func open(t *testing.T, url string, report func(error)) *tracing.Tracer {
	t.Helper()
	tracer, err := tracing.Open(tracing.Options{URL: url, Version: "v1", Report: report})
	if err != nil {
		t.Fatal(err)
	}
	return tracer
}

var record = transfer.Record{
	Snapshot: transfer.Snapshot{
		ID: "id", Direction: transfer.Upload, Protocol: transfer.ProtocolPUT, Name: "films/film.mkv", Client: "192.0.2.1", User: "alice",
		Bytes: 1000, Total: 2000, Start: time.Unix(1000, 0), MeanRate: 500,
		Trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	},
	Result: transfer.ResultFailed, Status: 507, Reason: "No space.", End: time.Unix(1002, 5),
	Stages: transfer.Stages{Socket: time.Second, Sync: time.Millisecond},
}

// The tests share the library's one handler of errors, so they run one after the other.
func TestSpan(t *testing.T) {
	r := newReceiver(t)
	tracer := open(t, r.url, func(err error) { t.Error(err) })
	if id := tracer.Ended(record); id != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("trace id %q", id)
	}
	alone := record
	alone.Trace, alone.Result = "00-nonsense", transfer.ResultOK
	if id := tracer.Ended(alone); len(id) != 32 {
		t.Errorf("trace id %q, want one of its own", id)
	}
	unsampled := record
	unsampled.Trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
	if id := tracer.Ended(unsampled); id == "" {
		t.Error("a trace that isn't kept has no id")
	}
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(r.spans) != 2 {
		t.Fatalf("%d spans, want 2", len(r.spans))
	}
	span := r.spans[0]
	attributes := map[string]string{}
	for _, a := range span.Attributes {
		attributes[a.Key] = strings.Trim(strings.SplitN(a.Value.String(), ":", 2)[1], `" `)
	}
	for key, want := range map[string]string{
		"sluice.name": "films/film.mkv", "sluice.result": "failed", "sluice.bytes": "1000", "sluice.total_bytes": "2000", "enduser.id": "alice",
		"sluice.stage.socket_seconds": "1", "sluice.stage.sync_seconds": "0.001", "http.response.status_code": "507",
	} {
		if attributes[key] != want {
			t.Errorf("%s = %q, want %q", key, attributes[key], want)
		}
	}
	if span.Name != "upload put" || span.StartTimeUnixNano != 1000e9 || span.EndTimeUnixNano != 1002e9+5 ||
		span.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR || span.Status.GetMessage() != "No space." || len(span.ParentSpanId) != 8 {
		t.Errorf("span %v", span)
	}
	if other := r.spans[1]; len(other.ParentSpanId) != 0 || other.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("span without a parent: %v", other)
	}
}

// Nothing waits for a collector that is silent, not even the end for long.
func TestSilentCollector(t *testing.T) {
	silence := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silence }))
	defer server.Close()
	defer close(silence)
	tracer := open(t, server.URL, func(error) {})
	for range 10000 {
		tracer.Ended(record)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := tracer.Close(ctx); err == nil {
		t.Error("it says that all was handed over")
	}
}

func TestRefusingCollector(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer server.Close()
	reported := make(chan error, 10)
	tracer := open(t, server.URL, func(err error) { reported <- err })
	tracer.Ended(record)
	_ = tracer.Close(t.Context())
	if err := <-reported; err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("reported %v", err)
	}
}

// Without a tracer the client's trace is still known.
func TestOff(t *testing.T) {
	var off *tracing.Tracer
	if id := off.Ended(record); id != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("trace id %q", id)
	}
	if id := off.Ended(transfer.Record{}); id != "" {
		t.Errorf("trace id %q of nothing", id)
	}
	if err := off.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
