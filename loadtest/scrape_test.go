package loadtest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"sluice/loadtest"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// What the server counts is held against what the tester has moved.
func TestServerMetricsMustAgree(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		scenario string
		counter  string
		excess   int64
		kind     string // of the failure
		says     string
	}{
		{"agree", "put", "sluice_transfer_bytes_total", 0, "", "they agree"},
		{"agree of downloads", "get", "sluice_transfer_bytes_total", 0, "", "bytes down"},
		{"differ", "put", "sluice_transfer_bytes_total", 1, "count", "they differ"},
		{"unknown", "put", "other_total", 1, "", "nothing was held against it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var up, down atomic.Int64
			up.Store(12345)
			var file atomic.Pointer[[]byte]
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/metrics":
					fmt.Fprintf(w, "# TYPE %[1]s counter\n%[1]s{direction=\"upload\"} %[2]d\n%[1]s{direction=\"download\"} %[3]d\n", test.counter, up.Load(), down.Load())
				case r.Method == http.MethodPut:
					body, _ := io.ReadAll(r.Body)
					file.Store(&body)
					up.Add(int64(len(body)) + test.excess)
				case r.Method == http.MethodGet:
					n, _ := w.Write(*file.Load())
					down.Add(int64(n))
				}
			}))
			t.Cleanup(server.Close)
			result := report.New()
			sink := &loadtest.ServerMetrics{Sink: result, URL: server.URL + "/metrics"}
			if err := loadtest.Measure(t.Context(), newPlan(test.scenario, server.URL+"/"), 2, sink, nil); err != nil {
				t.Fatal(err)
			}
			if err := sink.End(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := result.Runs()[0].Failures(); (len(got) > 0) != (test.kind != "") || test.kind != "" && got[test.kind] != 1 {
				t.Errorf("failures are %v", got)
			}
			var text strings.Builder
			if err := result.WriteText(&text); err != nil || !strings.Contains(text.String(), test.says) {
				t.Errorf("report is\n%s", text.String())
			}
		})
	}
}

// A server that doesn't tell its metrics is found out, in whatever way.
func TestServerMetricsThatAreNone(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/text" {
			_, _ = io.WriteString(w, "<html>")
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	for _, path := range []string{"/metrics", "/text"} {
		sink := &loadtest.ServerMetrics{Sink: report.New(), URL: server.URL + path}
		if err := sink.Write(&record.Header{}); err != nil {
			t.Fatal(err)
		}
		if err := sink.End(t.Context()); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}
