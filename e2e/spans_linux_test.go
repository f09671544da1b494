package e2e_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Each transfer is a span, below the one that its client names, and the log has
// the trace's id. A stop hands over what waits.
func TestSpans(t *testing.T) {
	t.Parallel()
	spans := make(chan *tracepb.Span, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var export collector.ExportTraceServiceRequest
		if err = errors.Join(err, proto.Unmarshal(body, &export)); err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
		}
		for _, resource := range export.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					spans <- span
				}
			}
		}
	}))
	defer receiver.Close()
	s := start(t, "--trace-url", receiver.URL)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	curlWith(t, strings.NewReader("content"), "-H", "traceparent: 00-"+trace+"-00f067aa0ba902b7-01", "-T", "-", s.fileURL("traced")).want(t, 201)
	curl(t, s.fileURL("traced")).want(t, 200)
	curlWith(t, strings.NewReader("content"), "-H", "traceparent: "+strings.Repeat("x", 5000), "-T", "-", s.fileURL("odd")).want(t, 201)
	s.terminate()
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	got := map[string]int{}
	for len(spans) > 0 {
		span := <-spans
		got[span.Name]++
		if span.EndTimeUnixNano <= span.StartTimeUnixNano {
			t.Errorf("span from %d to %d", span.StartTimeUnixNano, span.EndTimeUnixNano)
		}
	}
	if got["upload put"] != 2 || got["download get"] != 1 || len(got) != 2 {
		t.Errorf("spans %v", got)
	}
	if strings.Count(s.log.String(), `"trace_id":"`+trace+`"`) != 1 || strings.Count(s.log.String(), `"trace_id":"`) != 3 {
		t.Error("the log doesn't tell the traces")
	}
}

// A collector that is silent or gone holds up no transfer, and a stop not for long.
func TestSpansNobodyTakes(t *testing.T) {
	t.Parallel()
	silence := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silence }))
	t.Cleanup(silent.Close)
	t.Cleanup(func() { close(silence) })
	for name, url := range map[string]string{"silent": silent.URL, "gone": "http://127.0.0.1:1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "--trace-url", url)
			for range 20 {
				s.put("file", "content")
			}
			s.terminate()
			if code := s.wait(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if lines := s.logLines("spans not exported"); len(lines) == 0 {
				t.Error("the log doesn't tell")
			}
		})
	}
}
