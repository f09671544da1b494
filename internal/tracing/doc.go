// Package tracing makes a span of each transfer that has ended and exports it by
// OTLP over HTTP (OpenTelemetry).
//
// It owns everything OpenTelemetry: the spans' names and attributes, the queue in
// front of the exporter, and the W3C trace context that a client may send. No
// transfer waits for it: a span is made of a transfer's record, put into a queue
// of bounded length, and lost where that is full or nobody takes it.
//
// It knows transfers, and nothing of HTTP routes, storage or configuration.
package tracing
