package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// promtool runs Prometheus' own checker in the folder of the rules.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("promtool", args...)
	cmd.Dir = rulesFolder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestPrometheusConfig(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "config", "--lint-fatal", "prometheus.yml")
	promtool(t, "check", "rules", "--lint-fatal", "rules.yml", "alerts.yml")
}

// Every alert has a scenario, and all of them pass.
func TestAlerts(t *testing.T) {
	t.Parallel()
	scenarios, err := os.ReadFile(filepath.Join(rulesFolder, "tests.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rulesOf(t, "alerts.yml") {
		if rule.Alert != "" && !slices.ContainsFunc(strings.Split(string(scenarios), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "  - name: "+rule.Alert)
		}) {
			t.Errorf("%s has no scenario", rule.Alert)
		}
	}
	promtool(t, "test", "rules", "tests.yml")
}
