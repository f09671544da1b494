package loadtest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"sluice/loadtest"
	"sluice/loadtest/payload"
	"sluice/loadtest/record"
)

// TestServerUsage measures this process, which is the server as well.
func TestServerUsage(t *testing.T) {
	t.Parallel()
	_, url := newStore(t)
	plan := newPlan("put", url+"/")
	plan.PIDs = []int{os.Getpid()}
	plan.Size = payload.Fixed(big)
	run := measure(t, plan, 1)
	row := run.Repeats[0]
	if row.ServerCPUSeconds <= 0 || row.TesterCPUSeconds <= 0 {
		t.Errorf("processor seconds: server %v, tester %v", row.ServerCPUSeconds, row.TesterCPUSeconds)
	}
	if last := run.Usages[len(run.Usages)-1]; last.ServerRSS < big/2 || last.TesterRSS == 0 || last.Repeat != 1 {
		t.Errorf("the last look at the server's memory is %+v", last)
	}
	if row.ServerPeakRSS < big {
		t.Errorf("peak is %d bytes, though the server holds %d", row.ServerPeakRSS, big)
	}
}

func TestProcessThatIsGone(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	_, url := newStore(t)
	plan := newPlan("put", url+"/")
	plan.PIDs = []int{cmd.Process.Pid}
	run := &record.Run{}
	err := loadtest.Measure(t.Context(), plan, 1, run, nil)
	if err == nil || !strings.Contains(err.Error(), "read processor time") {
		t.Errorf("error is %v", err)
	}
	if len(run.Transfers) != 1 {
		t.Errorf("%d transfers: what has been measured must stay", len(run.Transfers))
	}
}
