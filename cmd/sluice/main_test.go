package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sluice/config"
	"sluice/loadtest/report"
)

// outcome is what a run of the program leaves.
type outcome struct {
	code           int
	stdout, stderr string
}

func sluice(environ []string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := run(args, environ, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		args   []string
		code   int
		stdout string // part of it
		stderr string // the whole
	}{
		{"no arguments print the help", nil, 0, "Available Commands:", ""},
		{"help of serve", []string{"serve", "--help"}, 0, "--block-size size", ""},
		{"help of load", []string{"load", "--help"}, 0, "sluice load", ""},
		{"unknown command", []string{"frobnicate"}, 2, "", "sluice: unknown command \"frobnicate\" for \"sluice\"\n"},
		{"misspelt command", []string{"sevre"}, 2, "", "sluice: unknown command \"sevre\" for \"sluice\"\n" +
			"sluice: Did you mean this?\nsluice: serve\n"},
		{"unknown flag", []string{"serve", "--rot=x"}, 2, "", "sluice: unknown flag: --rot\n"},
		{"flag without its value", []string{"config", "--root"}, 2, "", "sluice: flag needs an argument: --root\n"},
		{"argument too many", []string{"version", "x"}, 2, "", "sluice: unknown command \"x\" for \"sluice version\"\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := sluice(nil, test.args...)
			if got.code != test.code {
				t.Errorf("exit code %d, want %d", got.code, test.code)
			}
			if !strings.Contains(got.stdout, test.stdout) {
				t.Errorf("stdout lacks %q:\n%s", test.stdout, got.stdout)
			}
			if got.stderr != test.stderr {
				t.Errorf("stderr %q, want %q", got.stderr, test.stderr)
			}
		})
	}
}

func TestFaultsStopEachCommand(t *testing.T) {
	t.Parallel()
	want := "sluice: SLUICE_X: unknown setting (environment)\n" +
		"sluice: root: \"\" must be at least one character long (flag --root)\n"
	for _, command := range []string{"serve", "config"} {
		got := sluice([]string{"SLUICE_X=1"}, command, "--root=")
		if got != (outcome{2, "", want}) {
			t.Errorf("%s: got %+v, want exit code 2 and %q", command, got, want)
		}
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	faults := &config.Error{Faults: []config.Fault{{Key: "root"}}}
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"done", nil, 0},
		{"failed", failure{errors.New("disk on fire")}, 1},
		{"usage", errors.New("unknown flag"), 2},
		{"settings", failure{fmt.Errorf("wrapped: %w", faults)}, 2},
		{"transfers", failure{fmt.Errorf("wrapped: %w", report.ErrFailed)}, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := exitCode(test.err); got != test.want {
				t.Errorf("exitCode(%v) = %d, want %d", test.err, got, test.want)
			}
		})
	}
}
