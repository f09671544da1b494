package report_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

func TestThresholds(t *testing.T) {
	t.Parallel()
	run := func() *report.Report { return report.Of(sweep()) }
	versus := func() *report.Report {
		r := report.New()
		for _, row := range many() {
			_ = r.Write(row)
		}
		return r
	}
	for _, test := range []struct {
		text string
		of   func() *report.Report
		held bool
	}{
		{"tus.mbps.p50>100", run, true},
		{"tus.mbps.p50>1000", run, false}, // at some points only
		{"tus.mbps.min>=0.1", run, true},
		{"tus.latency.p99.9<500ms", run, true},
		{"tus.latency.p99.9<1us", run, false},
		{"tus.first_byte.max < 1", run, true},
		{"tus.finish.mean<4ms", run, false},
		{"tus.failed==0", run, true},
		{"tus.transfers!=120", run, false},
		{"run.mbps.median>1000", run, true},
		{"run.mbps.std_dev<1", run, false},
		{"run.server_cpu.max<0.46", run, true},
		{"run.tester_cpu.mean>=0.2", run, false},
		{"run.server_memory<1000", run, false}, // nobody read it
		{"put.mbps.p50>0", run, false},         // there is none
		{"a/run.mbps.mean>50", run, false},     // it has no sides
		{"a/run.mbps.mean>50", versus, true},
		{"b/put.delay.p50>0", versus, true},
		{"put.transfers==5000", versus, true},
	} {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			threshold, err := report.ParseThreshold(test.text)
			if err != nil {
				t.Fatal(err)
			}
			r := test.of()
			r.Hold([]report.Threshold{threshold})
			if err := r.Err(); (err == nil) != test.held || err != nil && !errors.Is(err, report.ErrMissed) {
				t.Errorf("error is %v", err)
			}
			var b bytes.Buffer
			if err := r.WriteText(&b); err != nil || strings.Contains(b.String(), "MISSED") == test.held {
				t.Errorf("report is %s", b.String())
			}
		})
	}
}

// A run that failed has failed, whatever thresholds it held or missed.
func TestFailureOutweighsThreshold(t *testing.T) {
	t.Parallel()
	threshold, err := report.ParseThreshold("run.failed==0")
	if err != nil {
		t.Fatal(err)
	}
	rows := &record.Run{Transfers: []*record.Transfer{{Scenario: "put", Error: &record.Error{Kind: record.KindShort}}}}
	r := report.Of(rows)
	r.Hold([]report.Threshold{threshold})
	if err := r.Err(); !errors.Is(err, report.ErrFailed) || !errors.Is(err, report.ErrMissed) {
		t.Errorf("error is %v", err)
	}
}

func TestThresholdsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "put", "put.mbps", "put.mbps>5", "put.mbps.p101>5", "put.mbps.median>5", "run.mbps.p50>5", "run.latency.max<1",
		"put.mbps.p50=5", "put.mbps.p50>fast", "put.mbps.p50>NaN", "c/put.mbps.p50>5", "put.failed.max==0", "put.server_memory<5", "put.mbps.p1e2>5",
	} {
		if threshold, err := report.ParseThreshold(text); err == nil {
			t.Errorf("%q is %+v", text, threshold)
		}
	}
}

func FuzzParseThreshold(f *testing.F) {
	f.Add("put.mbps.p50>500")
	f.Add("a/run.server_cpu.median <= 0.25")
	f.Add("get.latency.p99.9<200ms")
	f.Fuzz(func(t *testing.T, text string) {
		threshold, err := report.ParseThreshold(text)
		if err != nil {
			return
		}
		r := report.Of(exampleRun())
		r.Hold([]report.Threshold{threshold})
		if err := r.Err(); err == nil {
			t.Error("the run failed")
		}
	})
}
