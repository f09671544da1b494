package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
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

func TestFieldLines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fields")
	if err := os.WriteFile(path, []byte("Authorization: Bearer x\n\nX-Y: z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := fieldLines([]string{"A: b", "@" + path})
	if want := []string{"A: b", "Authorization: Bearer x", "X-Y: z"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, flag := range []string{"no colon", ": no name", "@" + path + "-missing"} {
		if _, err := fieldLines([]string{flag}); err == nil || strings.Contains(err.Error(), "no colon") {
			t.Errorf("%q gives %v", flag, err)
		}
	}
}
