package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden holds got against the golden file of that name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("report is\n%s\nwant\n%s", got, want)
	}
}

// exampleRun is a run of three repeats, the second of which failed.
func exampleRun() *record.Run {
	refused := func(status int, detail string) *record.Error {
		return &record.Error{Kind: record.KindRefused, Status: status, Detail: detail}
	}
	return &record.Run{
		Headers: []*record.Header{{
			Version: record.Version, Title: "tus http://127.0.0.1:8080/tus/: 2.0 GB x 1 stream, PATCHes of 64 MiB",
			Plan: json.RawMessage(`{"scenario":"tus"}`),
		}},
		Repeats: []*record.Repeat{
			{Repeat: 1, Seconds: 0.8, Bytes: 2e9, Transfers: 1, ServerCPUSeconds: 0.4, TesterCPUSeconds: 0.3, ServerPeakRSS: 20e6},
			{Repeat: 2, Seconds: 0.1, Failed: 1, ServerPeakRSS: 21e6},
			{Repeat: 3, Seconds: 1.0, Bytes: 2e9, Transfers: 1, Rate: 1, ServerCPUSeconds: 0.5, TesterCPUSeconds: 0.3, ServerPeakRSS: 22e6},
		},
		Transfers: []*record.Transfer{
			{
				Scenario: "tus", Direction: record.Up, Repeat: 1, Bytes: 2e9, Seconds: 0.79, FirstByte: 0.78, Finish: 0.01,
				Checked: record.CheckedDigest,
			},
			{Scenario: "tus", Direction: record.Up, Repeat: 2, Bytes: 1e6, Seconds: 0.1, Error: refused(413, "patch: 413 Too Large")},
			{Scenario: "tus", Direction: record.Up, Repeat: 3, Bytes: 2e9, Seconds: 1, FirstByte: 0.98, Finish: 0.0125, Start: 0.5, Due: 0.25},
		},
		Seconds: []*record.Second{
			{Repeat: 1, Up: 2e9, End: 0.8, Length: 0.8, Started: 1, Finished: 1},
			{Repeat: 2, Up: 1e6, End: 0.1, Length: 0.1, Started: 1, Finished: 1, Failed: 1},
			{Repeat: 3, Up: 1.9e9, End: 1, Length: 1, Started: 1, InFlight: 1},
			{Repeat: 3, Second: 1, Up: 1e8, End: 1.05, Length: 0.05, Finished: 1},
		},
		Leftovers: []*record.Leftover{{Error: refused(405, "delete /x: 405 Method Not Allowed")}},
	}
}

func TestRunReports(t *testing.T) {
	t.Parallel()
	run := report.Of(exampleRun())
	var text bytes.Buffer
	if err := run.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "run.txt", text.Bytes())

	var document bytes.Buffer
	if err := run.WriteJSON(&document); err != nil {
		t.Fatal(err)
	}
	golden(t, "run.json", document.Bytes())
}

func TestSummary(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		rates []float64
		want  report.Stats
	}{
		{"none", nil, report.Stats{}},
		{"one", []float64{5}, report.Stats{N: 1, Median: 5, Min: 5, Max: 5, Mean: 5}},
		{"odd", []float64{9, 1, 5}, report.Stats{N: 3, Median: 5, Min: 1, Max: 9, Mean: 5, StdDev: 4}},
		{"even", []float64{9, 1, 3, 3}, report.Stats{N: 4, Median: 3, Min: 1, Max: 9, Mean: 4, StdDev: math.Sqrt(12)}},
		{"nothing moved in one", []float64{0, 3}, report.Stats{N: 1, Median: 3, Min: 3, Max: 3, Mean: 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rows := &record.Run{}
			for _, rate := range test.rates {
				rows.Repeats = append(rows.Repeats, &record.Repeat{Seconds: 1, Bytes: int64(rate * 1e6)})
			}
			if got := report.NewRun(rows).Summary().MBPerSecond; got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
