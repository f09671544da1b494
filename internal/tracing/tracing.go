package tracing

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"sluice/internal/transfer"
)

// Options set a [Tracer] up. All are required.
type Options struct {
	// URL is where spans are sent to; without a path it is the one that OTLP has,
	// /v1/traces.
	URL string
	// Version is the server's.
	Version string
	// Report is told what the exporter fails with, which may be often.
	Report func(error)
}

const (
	// maxQueue is how many spans wait at most; one takes some 2 KB.
	maxQueue = 2048
	// exportTimeout bounds one attempt to hand spans over.
	exportTimeout = 10 * time.Second
	// defaultPath is where collectors take traces.
	defaultPath = "/v1/traces"
)

// Tracer exports spans. A nil Tracer does nothing.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// Open makes a tracer; the collector need not be there. The environment's
// OTEL_EXPORTER_OTLP_HEADERS and its like count for what Options leave open.
func Open(o Options) (*Tracer, error) {
	target, err := url.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("open tracing: %w", err)
	}
	if target.Path == "" || target.Path == "/" {
		target.Path = defaultPath
	}
	// The library has one handler for the whole process.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(o.Report))
	exporter, err := otlptracehttp.New(context.Background(),
		otlptracehttp.WithEndpointURL(target.String()), otlptracehttp.WithTimeout(exportTimeout))
	if err != nil {
		return nil, fmt.Errorf("open tracing: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter, sdktrace.WithMaxQueueSize(maxQueue)),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "sluice"), attribute.String("service.version", o.Version))),
		// Who sends a context decides whether its trace is kept.
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample())),
	)
	return &Tracer{provider, provider.Tracer("sluice")}, nil
}

// Close hands over what waits, as long as ctx lasts, and ends.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("close tracing: %w", err)
	}
	return nil
}

// Ended makes the span of a transfer, below the one that its client has named.
// It returns the trace's id, empty for none.
func (t *Tracer) Ended(r transfer.Record) string {
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": r.Trace})
	if t == nil {
		return idOf(trace.SpanContextFromContext(ctx))
	}
	_, span := t.tracer.Start(ctx, string(r.Direction)+" "+string(r.Protocol),
		trace.WithTimestamp(r.Start), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes(r)...))
	switch r.Result {
	case transfer.ResultOK:
	case transfer.ResultFailed:
		span.SetStatus(codes.Error, r.Reason)
	default:
		// The client's doing is no error of the server's.
		span.SetAttributes(attribute.String("sluice.reason", r.Reason))
	}
	span.End(trace.WithTimestamp(r.End))
	return idOf(span.SpanContext())
}

func idOf(c trace.SpanContext) string {
	if !c.HasTraceID() {
		return ""
	}
	return c.TraceID().String()
}

func attributes(r transfer.Record) []attribute.KeyValue {
	list := []attribute.KeyValue{
		attribute.String("sluice.transfer.id", r.ID),
		attribute.String("sluice.request_id", r.RequestID),
		attribute.String("sluice.direction", string(r.Direction)),
		attribute.String("sluice.protocol", string(r.Protocol)),
		attribute.String("sluice.result", string(r.Result)),
		attribute.String("sluice.name", r.Name),
		attribute.Int64("sluice.bytes", r.Bytes),
		attribute.Float64("sluice.bytes_per_second", r.MeanRate),
		attribute.String("client.address", r.Client),
		attribute.Int("http.response.status_code", r.Status),
	}
	if r.Total >= 0 {
		list = append(list, attribute.Int64("sluice.total_bytes", r.Total))
	}
	if r.User != "" {
		list = append(list, attribute.String("enduser.id", r.User))
	}
	for _, stage := range r.Stages.List() {
		list = append(list, attribute.Float64("sluice.stage."+stage.Name+"_seconds", stage.Time.Seconds()))
	}
	return list
}
