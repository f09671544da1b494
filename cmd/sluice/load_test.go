package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/loadtest/record"
)

// runLoad runs `load` with args and returns what it writes to standard output.
func runLoad(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := newLoadCommand()
	var stdout bytes.Buffer
	cmd.SetOut(&stdout)
	cmd.SetErr(io.Discard)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return stdout.String(), err
}

// startSink starts a server that answers every request with status.
func startSink(t *testing.T, status int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

func TestLoadWritesTableAndJSON(t *testing.T) {
	t.Parallel()
	url := startSink(t, http.StatusNoContent)
	folder := t.TempDir()
	file, records := filepath.Join(folder, "run.json"), filepath.Join(folder, "run.jsonl.zst")
	table, err := runLoad(t, "put", "--url", url, "--size", "300kB", "--streams", "2", "--repeat", "2", "--json", file, "--records", records)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table, "300kB x 2 streams") || !strings.Contains(table, "median") {
		t.Errorf("table is\n%s", table)
	}
	document, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Transfers int
		Repeats   []record.Repeat
	}
	if err := json.Unmarshal(document, &run); err != nil {
		t.Fatal(err)
	}
	if run.Transfers != 4 || run.Repeats[1].Bytes != 600_000 {
		t.Errorf("document is %s", document)
	}
	if again, err := runLoad(t, "report", records); err != nil || again != table {
		t.Errorf("error %v, made again it is\n%s", err, again)
	}
	if again, err := runLoad(t, "report", "--json", "-", records); err != nil || again != string(document) {
		t.Errorf("error %v, made again it is\n%s", err, again)
	}

	alone, err := runLoad(t, "put", "--url", url, "--size", "1KiB", "--json", "-")
	if err != nil || !json.Valid([]byte(alone)) {
		t.Errorf("error %v, standard output is %s", err, alone)
	}
}

func TestLoadVersus(t *testing.T) {
	t.Parallel()
	url := startSink(t, http.StatusNoContent)
	document, err := runLoad(t, "versus", "form", "--a", url, "--b", url, "--scenario-b", "put",
		"--size", "300kB", "--repeat", "2", "--sustained", "3", "--settle=false", "--pause", "0", "--json", "-")
	if err != nil {
		t.Fatal(err)
	}
	type side struct{ Plan struct{ Scenario string } }
	var comparison struct {
		A, B  side
		Pairs []struct {
			A struct {
				Rates []float64 `json:"mb_per_second"`
			}
		}
	}
	if err := json.Unmarshal([]byte(document), &comparison); err != nil {
		t.Fatal(err)
	}
	a, b, pairs := comparison.A.Plan.Scenario, comparison.B.Plan.Scenario, comparison.Pairs
	if a != "form" || b != "put" || len(pairs) != 2 || len(pairs[0].A.Rates) != 3 {
		t.Errorf("%s against %s, pairs are %+v", a, b, pairs)
	}
}

func TestLoadFails(t *testing.T) {
	t.Parallel()
	broken := startSink(t, http.StatusInternalServerError)
	for _, test := range []struct {
		name  string
		args  []string
		usage bool
	}{
		{"transfers fail", []string{"put", "--url", broken, "--size", "1kB"}, false},
		{"preparation fails", []string{"get", "--url", broken, "--size", "1kB"}, false},
		{"one side fails", []string{"versus", "put", "--a", broken, "--b", broken, "--size", "1kB", "--pause", "0", "--settle=false"}, false},
		{"streams share a file", []string{"put", "--url", broken + "x", "--streams", "2"}, true},
		{"invalid comparison", []string{"versus", "put", "--a", "x", "--b", "y"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := runLoad(t, test.args...)
			var usage loadUsageError
			if err == nil || errors.As(err, &usage) != test.usage {
				t.Fatalf("error is %v", err)
			}
			if code := exitCode(err); test.usage && code != 2 {
				t.Errorf("exit code is %d", code)
			}
		})
	}
	for _, args := range [][]string{{"put"}, {"versus", "put"}, {"versus", "ftp", "--a", broken, "--b", broken}, {"put", "--url", broken, "--size", "many"}} {
		if _, err := runLoad(t, args...); err == nil {
			t.Errorf("load %v did not fail", args)
		}
	}
}

func TestByteSize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		want  int64
		wrong bool
	}{
		{text: "0", want: 0},
		{text: "4294967297", want: 1<<32 + 1},
		{text: "2GB", want: 2e9},
		{text: "64MiB", want: 64 << 20},
		{text: "600037000", want: 600037000},
		{text: "-1", wrong: true},
		{text: "10EB", wrong: true},
		{text: "GB", wrong: true},
	} {
		var size byteSize
		if err := size.Set(test.text); (err != nil) != test.wrong || int64(size) != test.want {
			t.Errorf("%q gives %d, %v", test.text, size, err)
		}
	}
}
