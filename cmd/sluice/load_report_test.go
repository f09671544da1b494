package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestLoadThresholdsSetTheExitCode(t *testing.T) {
	t.Parallel()
	url, broken := startSink(t, http.StatusNoContent), startSink(t, http.StatusInternalServerError)
	records := filepath.Join(t.TempDir(), "run.csv")
	for _, test := range []struct {
		name, url string
		threshold []string
		code      int
	}{
		{"held", url, []string{"run.failed==0", "put.mbps.min>0"}, 0},
		{"missed", url, []string{"run.failed==0", "put.mbps.min>1e9"}, 4},
		{"failed and missed", broken, []string{"put.mbps.min>1e9"}, 3},
		{"malformed", url, []string{"put.mbps"}, 2},
	} {
		args := []string{"load", "put", "--url", test.url, "--size", "1kB", "--no-progress", "--records", records}
		for _, threshold := range test.threshold {
			args = append(args, "--threshold", threshold)
		}
		var stdout, stderr strings.Builder
		if code := run(args, nil, &stdout, &stderr); code != test.code {
			t.Errorf("%s: exit code %d, want %d: %s", test.name, code, test.code, stderr.String())
		}
	}
	// Records that are there hold other thresholds later.
	var stdout, stderr strings.Builder
	if code := run([]string{"load", "report", records, "--threshold", "run.transfers>1000"}, nil, &stdout, &stderr); code != 3 || !strings.Contains(stdout.String(), "MISSED") {
		t.Errorf("exit code %d, report\n%s", code, stdout.String())
	}
}

func TestLoadReportOfRecordsCutShort(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	records := filepath.Join(folder, "run.jsonl")
	if _, err := runLoad(t, "put", "--url", startSink(t, http.StatusNoContent), "--size", "1kB", "--records", records); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(records)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(records, whole[:len(whole)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	if code := run([]string{"load", "report", records}, nil, &stdout, &stderr); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(stdout.String(), "median") || !strings.Contains(stderr.String(), "cut short") {
		t.Errorf("report is\n%s\nand what is wrong\n%s", stdout.String(), stderr.String())
	}
	if code := run([]string{"load", "report", filepath.Join(folder, "none.jsonl")}, nil, &stdout, &stderr); code != 1 {
		t.Errorf("exit code %d for records that aren't there", code)
	}
}

func TestLoadCompare(t *testing.T) {
	t.Parallel()
	folder, url := t.TempDir(), startSink(t, http.StatusNoContent)
	a, b := filepath.Join(folder, "a.jsonl.zst"), filepath.Join(folder, "b.csv")
	for _, file := range []string{a, b} {
		if _, err := runLoad(t, "put", "--url", url, "--size", "100kB", "--repeat", "5", "--records", file); err != nil {
			t.Fatal(err)
		}
	}
	table, err := runLoad(t, "compare", a, b)
	if err != nil || !regexp.MustCompile(`MB/s of repeats +5 +5 `).MatchString(table) {
		t.Errorf("error %v, table\n%s", err, table)
	}
	document, err := runLoad(t, "compare", a, b, "--json", "-")
	if err != nil || !strings.Contains(document, `"ratio_low"`) {
		t.Errorf("error %v, document\n%s", err, document)
	}
	if _, err := runLoad(t, "compare", a, filepath.Join(folder, "none.csv")); err == nil {
		t.Error("compared with nothing")
	}
}

func TestLoadPrometheusListen(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	args := []string{"load", "put", "--url", startSink(t, http.StatusNoContent), "--size", "1kB", "--no-progress", "--prometheus-listen", "127.0.0.1:0"}
	if code := run(args, nil, &stdout, &stderr); code != 0 || !regexp.MustCompile(`http://127\.0\.0\.1:\d+/metrics`).MatchString(stderr.String()) {
		t.Errorf("exit code %d, said %s", code, stderr.String())
	}
	args[len(args)-1] = "127.0.0.1:many"
	if code := run(args, nil, &stdout, &stderr); code != 1 {
		t.Errorf("exit code %d for an address that is none", code)
	}
}
