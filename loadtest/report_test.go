package loadtest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"sluice/loadtest"
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
func exampleRun() *loadtest.Run {
	return &loadtest.Run{
		Plan: loadtest.Plan{Scenario: "tus", URL: "http://127.0.0.1:8080/tus/", Size: 2e9, Streams: 1, Chunk: 64 << 20},
		Repeats: []loadtest.Repeat{
			{Repeat: 1, Seconds: 0.8, Bytes: 2e9, ServerCPUSeconds: 0.4, TesterCPUSeconds: 0.3, ServerPeakRSS: 20e6},
			{Repeat: 2, Seconds: 0.1, Failed: 1, ServerPeakRSS: 21e6},
			{Repeat: 3, Seconds: 1.0, Bytes: 2e9, ServerCPUSeconds: 0.5, TesterCPUSeconds: 0.3, ServerPeakRSS: 22e6},
		},
		Transfers: []*loadtest.Transfer{
			{Repeat: 1, Bytes: 2e9, Checked: loadtest.CheckedDigest},
			{Repeat: 2, Bytes: 1e6, Error: &loadtest.Error{Kind: loadtest.KindRefused, Status: 413, Detail: "patch: 413 Too Large"}},
			{Repeat: 3, Bytes: 2e9},
		},
		Leftover: []*loadtest.Error{{Kind: loadtest.KindRefused, Status: 405, Detail: "delete /x: 405 Method Not Allowed"}},
	}
}

func TestRunReports(t *testing.T) {
	t.Parallel()
	run := exampleRun()
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
	var again loadtest.Run
	if err := json.Unmarshal(document.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	if again.Summary() != run.Summary() {
		t.Errorf("summary of what was read again is %+v, was %+v", again.Summary(), run.Summary())
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		rates []float64
		want  loadtest.Stats
	}{
		{"none", nil, loadtest.Stats{}},
		{"one", []float64{5}, loadtest.Stats{Median: 5, Min: 5, Max: 5}},
		{"odd", []float64{9, 1, 5}, loadtest.Stats{Median: 5, Min: 1, Max: 9}},
		{"even", []float64{8, 1, 2, 4}, loadtest.Stats{Median: 3, Min: 1, Max: 8}},
		{"nothing moved in one", []float64{0, 3}, loadtest.Stats{Median: 3, Min: 3, Max: 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			run := &loadtest.Run{}
			for _, rate := range test.rates {
				run.Repeats = append(run.Repeats, loadtest.Repeat{Seconds: 1, Bytes: int64(rate * 1e6)})
			}
			if got := run.Summary().MBPerSecond; got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
