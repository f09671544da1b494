package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// loadAgent is a running `sluice load agent`.
type loadAgent struct {
	cmd  *exec.Cmd
	addr string
	log  *lines
}

// startAgent starts an agent with a secret on a free port.
func startAgent(t *testing.T, secretFile string) *loadAgent {
	t.Helper()
	a := &loadAgent{cmd: exec.Command(suite.race, "load", "agent", "--listen", "127.0.0.1:0", "--secret-file", secretFile), log: new(lines)}
	a.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	stderr, err := a.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		for scanner := bufio.NewScanner(stderr); scanner.Scan(); {
			a.log.add(scanner.Text())
			if addr, found := strings.CutPrefix(scanner.Text(), "agent listens on "); found {
				listening <- addr
			}
		}
		ended <- a.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = a.cmd.Process.Signal(syscall.SIGTERM) // one that was killed is gone
		select {
		case <-ended:
		case <-time.After(patience):
			_ = a.cmd.Process.Kill()
			t.Errorf("agent did not stop:\n%s", a.log)
		}
		if strings.Contains(a.log.String(), "DATA RACE") || strings.Contains(a.log.String(), "panic") {
			t.Errorf("agent logged\n%s", a.log)
		}
	})
	select {
	case a.addr = <-listening:
	case <-time.After(patience):
		t.Fatalf("agent is not ready:\n%s", a.log)
	}
	return a
}

// load runs `sluice load` and returns its exit code.
func load(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return loadBy(t, suite.race, args...)
}

// loadBy runs the `load` of a binary.
func loadBy(t testing.TB, binary string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"load"}, args...)...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func sharedSecret(t *testing.T, secret string) string {
	t.Helper()
	file := filepath.Join(folder(t), "secret")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Agents do the work together, each under its name, and what the server has
// counted is what all of them have moved. The records give the same report again.
func TestLoadByAgents(t *testing.T) {
	t.Parallel()
	s := start(t)
	secret := sharedSecret(t, "a secret of some length")
	a, b := startAgent(t, secret), startAgent(t, secret)
	dir := folder(t)
	records, document := filepath.Join(dir, "run.jsonl.zst"), filepath.Join(dir, "run.json")
	code, table, stderr := load(t, "put", "--url", s.url("/files/"), "--size", "1MB", "--streams", "2", "--repeat", "3",
		"--agents", a.addr+","+b.addr, "--secret-file", secret, "--metrics-url", "http://"+s.admin+"/metrics",
		"--records", records, "--json", document)
	if code != 0 || !strings.Contains(table, "they agree") {
		t.Fatalf("exit code %d\n%s\n%s", code, table, stderr)
	}
	raw, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Agents []struct {
			Agent       string
			ClockWithin float64 `json:"clock_within"`
		}
		Repeats   []struct{ Bytes int64 }
		Transfers int
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Agents) != 2 || got.Agents[0].ClockWithin <= 0 || got.Transfers != 12 {
		t.Errorf("document is %s", raw)
	}
	if len(got.Repeats) != 3 || got.Repeats[2].Bytes != 4e6 {
		t.Errorf("repeats are %+v, want each to be that of both agents", got.Repeats)
	}
	if _, again, _ := load(t, "report", records); again != table {
		t.Errorf("made again, the report is\n%s\nwas\n%s", again, table)
	}
	if left := s.stored(); len(left) != 0 {
		t.Errorf("agents left %v", left)
	}
}

// An agent that is killed in the middle of a run is told, and fails it; the other
// one goes on to the end.
func TestLoadAgentKilled(t *testing.T) {
	t.Parallel()
	s := start(t)
	secret := sharedSecret(t, "a secret of some length")
	stays, dies := startAgent(t, secret), startAgent(t, secret)
	records := filepath.Join(folder(t), "run.jsonl")
	killed := make(chan error, 1)
	go func() {
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(pollEvery) {
			if raw, err := os.ReadFile(records); err == nil && bytes.Contains(raw, []byte(`{"row":"repeat"`)) {
				killed <- dies.cmd.Process.Kill()
				return
			}
		}
		killed <- errors.New("no repeat has ended")
	}()
	code, table, stderr := load(t, "put", "--url", s.url("/files/"), "--size", "1MB", "--repeat", "30",
		"--agents", stays.addr+","+dies.addr, "--secret-file", secret, "--records", records)
	if err := <-killed; err != nil {
		t.Fatal(err)
	}
	if code != 3 || !strings.Contains(table, "agent "+dies.addr+" was lost") || !strings.Contains(stderr, "1 agent") {
		t.Errorf("exit code %d\n%s\n%s", code, table, stderr)
	}
	raw, err := os.ReadFile(records)
	if err != nil {
		t.Fatal(err)
	}
	repeats := map[string]int{}
	for line := range bytes.Lines(raw) {
		var row struct{ Row, Agent string }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		if row.Row == "repeat" {
			repeats[row.Agent]++
		}
	}
	if repeats[stays.addr] != 30 || repeats[dies.addr] >= 30 {
		t.Errorf("repeats of the agents: %v", repeats)
	}
}

// Agents do nothing for those who don't know the secret, and don't listen where
// strangers are without one.
func TestLoadAgentSecret(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := startAgent(t, sharedSecret(t, "a secret of some length"))
	for name, args := range map[string][]string{
		"none":    nil,
		"another": {"--secret-file", sharedSecret(t, "another secret of some length")},
		"short":   {"--secret-file", sharedSecret(t, "short")},
	} {
		code, _, stderr := load(t, append([]string{"put", "--url", s.url("/files/"), "--size", "1kB", "--agents", a.addr}, args...)...)
		if code == 0 || !strings.Contains(stderr, "secret") {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
	}
	if code, _, stderr := load(t, "agent", "--listen", "0.0.0.0:0"); code != 1 || !strings.Contains(stderr, "needs a secret") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if stored := s.stored(); len(stored) != 0 {
		t.Errorf("stored %v", stored)
	}
}
