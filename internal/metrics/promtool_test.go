package metrics_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sluice/internal/metrics"
)

func TestPromtoolCheckMetrics(t *testing.T) {
	t.Parallel()
	promtool(t, busyScrape(t), "check", "metrics")
}

// The example queries are valid PromQL over metrics that exist.
func TestExampleQueries(t *testing.T) {
	t.Parallel()
	names := make(map[string]bool)
	for _, d := range metrics.Definitions() {
		names[d.Name] = true
		if d.Type == metrics.Histogram {
			names[d.Name+"_bucket"], names[d.Name+"_sum"], names[d.Name+"_count"] = true, true, true
		}
	}
	var rules strings.Builder
	rules.WriteString("groups:\n- name: examples\n  rules:\n")
	for _, d := range metrics.Definitions() {
		for _, name := range regexp.MustCompile(`sluice_\w+`).FindAllString(d.Query, -1) {
			if !names[name] {
				t.Errorf("the query of %s asks for %s, which is not defined", d.Name, name)
			}
		}
		if d.Query != "" {
			fmt.Fprintf(&rules, "  - record: example:%s\n    expr: %q\n", d.Name, d.Query)
		}
	}
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, []byte(rules.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	promtool(t, "", "check", "rules", "--lint-fatal", path)
}

// promtool runs Prometheus' own checker, which must be content; what it prints
// to standard error is a complaint even where it exits with 0.
func promtool(t *testing.T, stdin string, args ...string) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatal("promtool is missing: install Debian's package prometheus")
	}
	var complaints strings.Builder
	cmd := exec.Command(path, args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Stderr = &complaints
	output, err := cmd.Output()
	if err != nil || complaints.Len() > 0 {
		t.Errorf("promtool %s: %v\n%s%s", strings.Join(args, " "), err, output, &complaints)
	}
}
