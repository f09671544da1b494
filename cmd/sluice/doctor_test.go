package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestDoctorOfMachine(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "root")
	got := sluice(nil, "doctor", "--root", root, "--max-connections", "10", "--json")
	var report struct {
		Findings []struct{ Check, Level, Text string }
	}
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil {
		t.Fatalf("%v: %s%s", err, got.stdout, got.stderr)
	}
	problems := strings.Count(got.stdout, `"level": "problem"`)
	if (got.code == 3) != (problems > 0) {
		t.Errorf("exit code %d with %d problems", got.code, problems)
	}
	if len(report.Findings) < 3 || report.Findings[0].Check != "settings" {
		t.Errorf("findings are %+v", report.Findings)
	}
}

func TestDoctorOfFaultySettings(t *testing.T) {
	t.Parallel()
	got := sluice(nil, "doctor", "--idle-timeout", "soon", "--max-transfers", "-1")
	if got.code != 3 || strings.Count(got.stdout, "problem  settings: ") != 2 {
		t.Errorf("exit code %d:\n%s%s", got.code, got.stdout, got.stderr)
	}
	if !strings.Contains(got.stdout, "\n0 ok, 0 warnings, 2 problems\n") {
		t.Errorf("no sum:\n%s", got.stdout)
	}
}

func TestDoctorOfNobody(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"ftp://127.0.0.1/", "http://127.0.0.1:1/"} {
		got := sluice(nil, "doctor", "--away", "--url", url)
		if got.code != 3 || !strings.Contains(got.stdout, "problem  reach: ") {
			t.Errorf("exit code %d:\n%s%s", got.code, got.stdout, got.stderr)
		}
	}
}
