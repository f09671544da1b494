package loadtest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sluice/loadtest"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

func TestColdCommandRunsBeforeEachDownload(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	_, url := newStore(t)
	log := filepath.Join(t.TempDir(), "log")
	plan := newPlan("get", url+"/")
	plan.ColdCommand = "echo cold >> " + log
	measure(t, plan, 3)
	written, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(written), "cold"); got != 3 {
		t.Errorf("ran %d times before 3 downloads", got)
	}

	plan.ColdCommand = "echo no such cache; exit 3"
	run := &record.Run{}
	err = loadtest.Measure(t.Context(), plan, 1, run, nil)
	if err == nil || !strings.Contains(err.Error(), "no such cache") {
		t.Errorf("error is %v", err)
	}
	if len(run.Transfers) != 0 {
		t.Errorf("%d transfers that were not cold", len(run.Transfers))
	}
}

// TestProgressIsForTerminals also lets the leak check see the bar's goroutines.
func TestProgressIsForTerminals(t *testing.T) {
	t.Parallel()
	_, url := newStore(t)
	var progress bytes.Buffer
	run := &record.Run{}
	err := loadtest.Measure(t.Context(), newPlan("put", url+"/"), 1, run, &progress)
	if err != nil || report.NewRun(run).Err() != nil {
		t.Errorf("errors are %v and %v", err, report.NewRun(run).Err())
	}
	if progress.Len() != 0 {
		t.Errorf("wrote %q to what is no terminal", progress.String())
	}
}
