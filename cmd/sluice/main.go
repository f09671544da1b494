// Command sluice is the server, its settings and its load tester. It parses the command line, wires the parts
// together, runs them and turns the outcome into an exit code:
//
//	0  done
//	1  failed
//	2  wrong usage, or a fault in the settings
//	3  the load test ran, and transfers failed; the doctor found problems
//	4  the load test ran well, and missed a threshold
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sluice/config"
	"sluice/internal/doctor"
	"sluice/loadtest/report"
)

func main() {
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// run is the whole program but for its exit.
func run(args, environ []string, stdout, stderr io.Writer) int {
	root := newRootCommand(environ)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	printError(stderr, err)
	return exitCode(err)
}

func newRootCommand(environ []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "sluice",
		Short:         "Move large files between clients and disk at the speed of the disk",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(
		newServeCommand(environ),
		newLoadCommand(),
		newManCommand(),
		newTokenCommand(environ),
		newSignCommand(environ),
		newTopCommand(),
		newConfigCommand(environ),
		newDoctorCommand(environ),
		newHealthCommand(environ),
		newVersionCommand(),
	)
	markFailures(root)
	return root
}

// failure is an error of a command that ran, as opposed to one of the command line.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// markFailures makes every command below cmd return its errors as failures.
func markFailures(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		markFailures(sub)
	}
	run := cmd.RunE
	if run == nil {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := run(cmd, args); err != nil {
			return failure{err}
		}
		return nil
	}
}

func exitCode(err error) int {
	var (
		faults *config.Error
		usage  loadUsageError
		ran    failure
	)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, report.ErrFailed), errors.Is(err, doctor.ErrProblems):
		return 3
	case errors.Is(err, report.ErrMissed):
		return 4
	case errors.As(err, &faults), errors.As(err, &usage):
		return 2
	case errors.As(err, &ran):
		return 1
	default:
		return 2
	}
}

// printError prefixes each line of the error: faults of the settings have one each.
func printError(w io.Writer, err error) {
	if err == nil {
		return
	}
	for line := range strings.Lines(err.Error()) {
		if text := strings.TrimSpace(line); text != "" {
			fmt.Fprintln(w, "sluice:", text)
		}
	}
}
