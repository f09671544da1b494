package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// loadReport is what `sluice load` reports, as far as tests look at it.
type loadReport struct {
	Repeats []struct {
		Bytes     int64 `json:"bytes"`
		Failed    int   `json:"failed"`
		TesterRSS int64 `json:"tester_peak_rss_bytes"`
	} `json:"repeats"`
	Failures map[string]int `json:"failures"`
}

// loadRun runs the load tester and returns its report, its records and exit code.
func loadRun(t testing.TB, args ...string) (report loadReport, rows []map[string]any, code int) {
	t.Helper()
	records := filepath.Join(folder(t), "records.jsonl")
	code, out, stderr := loadBy(t, suite.shipped, append(args, "--no-progress", "--json", "-", "--records", records)...)
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("load %v: %v\n%s%s", args, err, out, stderr)
	}
	text, err := os.ReadFile(records)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return report, rows, code
}

// Whatever the scenario, the load tester's count of bytes is the server's own,
// and that of the disk.
func TestLoadCountsWhatTheServerCounts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		path  string
		args  []string
		sent  bool // bytes move more than once
		files int
	}{
		{"put", "/files/", []string{"put", "--streams", "3", "--files", "5"}, false, 15},
		{"form", "/files/", []string{"form", "--streams", "2", "--files", "3", "--connection", "close"}, false, 6},
		{"tus", "/tus/", []string{"tus", "--streams", "2", "--parallel", "3", "--chunk", "300KB", "--defer-length"}, false, 2},
		{"get", "/files/", []string{"get", "--streams", "2", "--files", "3", "--range", "400KB"}, false, 2},
		{"small", "/files/", []string{"small", "--streams", "4", "--files", "10"}, false, 40},
		{"open", "/files/", []string{"put", "--rate", "50", "--files", "20", "--streams", "20"}, false, 20},
		{"mixed", "/files/", []string{"mixed", "--weights", "put=3,get=5,tus=1,form=1", "--read-back"}, false, -1},
		{"resume", "/tus/", []string{"resume", "--streams", "2"}, true, 2},
		{"resume downloads", "/files/", []string{"resume", "--via", "get"}, true, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			args := append(test.args, "--url", s.url(test.path), "--repeat", "1", "--keep")
			if test.name != "small" {
				args = append(args, "--size", "uniform:1-2MB")
			}
			if test.name == "mixed" {
				args = append(args, "--tus-url", s.url("/tus/"))
			}
			report, rows, code := loadRun(t, args...)
			if code != 0 || len(report.Failures) > 0 || report.Repeats[0].Bytes == 0 {
				t.Fatalf("exit code %d, report %+v", code, report)
			}
			moved := map[string]int64{}
			for _, row := range rows {
				if row["row"] == "transfer" {
					moved[row["direction"].(string)] += int64(row["bytes"].(float64))
				}
			}
			if got := moved["up"] + moved["down"]; got != report.Repeats[0].Bytes {
				t.Errorf("rows tell of %d bytes, the report of %d", got, report.Repeats[0].Bytes)
			}
			s.countsAs(test.name, moved, test.sent, test.files)
		})
	}
}

// countsAs compares what moved with the server's counters and its files.
func (s *server) countsAs(name string, moved map[string]int64, again bool, files int) {
	s.t.Helper()
	eventually(s.t, "the server is at rest", s.atRest)
	var stored int64
	names := s.stored()
	for _, name := range names {
		info, err := os.Stat(s.file(name))
		if err != nil {
			s.t.Fatal(err)
		}
		stored += info.Size()
	}
	if files >= 0 && len(names) != files {
		s.t.Errorf("%d files are stored, want %d", len(names), files)
	}
	metrics := s.scrape()
	up := int64(metrics.sum("sluice_transfer_bytes_total", "direction=upload"))
	down := int64(metrics.sum("sluice_transfer_bytes_total", "direction=download"))
	if moved["down"] == 0 && stored != moved["up"] {
		s.t.Errorf("the disk has %d bytes, %d were sent", stored, moved["up"])
	}
	switch {
	case again: // what was cut has moved as far as it came
		if up < moved["up"] || down < moved["down"] {
			s.t.Errorf("server counts %d and %d bytes, tester %v", up, down, moved)
		}
	case name == "mixed": // files that are put before the start, and read back, are no transfers
		if up != stored || down < moved["down"]+moved["up"] {
			s.t.Errorf("server counts %d and %d bytes and stores %d, tester %v", up, down, stored, moved)
		}
	case moved["down"] > 0:
		if up != stored || down != moved["down"] {
			s.t.Errorf("server counts %d and %d bytes and stores %d, tester %v", up, down, stored, moved)
		}
	case up != moved["up"]:
		s.t.Errorf("server counts %d bytes, tester %v", up, moved)
	}
}

// A refusal is what is reported, and the exit code isn't 0.
func TestLoadTellsOfRefusals(t *testing.T) {
	t.Parallel()
	s := start(t, "--max-upload-size", "1MB")
	report, _, code := loadRun(t, "put", "--url", s.url("/files/"), "--size", "list:100KB,3MB", "--files", "20", "--repeat", "1")
	if code == 0 || report.Failures["refused"] == 0 || report.Failures["refused"] != report.Repeats[0].Failed || report.Repeats[0].Bytes == 0 {
		t.Errorf("exit code %d, report %+v", code, report)
	}
}

// However large the files are, the tester needs little memory for them, and
// verifies every byte.
func TestLoadInLittleMemory(t *testing.T) {
	t.Parallel()
	size, limit := "400MB", int64(100e6)
	if os.Getenv("LOAD_FULL") != "" {
		size = "10GB"
	}
	s := startShipped(t)
	for _, scenario := range []string{"put", "get"} {
		report, _, code := loadRun(t, scenario, "--url", s.url("/files/"), "--size", size, "--repeat", "1")
		if code != 0 || report.Repeats[0].TesterRSS == 0 || report.Repeats[0].TesterRSS > limit {
			t.Errorf("%s: exit code %d, %d bytes of memory for %s", scenario, code, report.Repeats[0].TesterRSS, size)
		}
	}
}

// A sweep over block sizes starts a server for each.
func TestLoadSweepsBlockSizes(t *testing.T) {
	t.Parallel()
	report, rows, code := loadRun(t, "sweep", "put", "--vary", "block=64KiB,1MiB", "--size", "3MB", "--repeat", "2", "--folder", folder(t))
	labels := map[any]int{}
	for _, row := range rows {
		if row["row"] == "transfer" {
			labels[row["label"]]++
		}
	}
	if code != 0 || labels["block=64KiB"] != 2 || labels["block=1MiB"] != 2 {
		t.Errorf("exit code %d, rows %v, report %+v", code, labels, report)
	}
}
