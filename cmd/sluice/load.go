package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"sluice/loadtest"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// newLoadCommand returns the command `load`. Its errors wrap
// [report.ErrFailed] when the run itself went well and transfers did not.
func newLoadCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "load",
		Short: "Measure how fast a server takes and gives files",
		Long: `Move generated files through a server, and tell how fast and how dearly that went.
Works against any server that takes PUT, multipart/form-data or tus uploads, or gives files by GET.

The exit code is 0 only if every transfer succeeded, its content was right as far
as that can be checked, and its file was removed afterwards (unless --keep).`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(
		newLoadScenarioCommand("put", "Upload by PUT"),
		newLoadScenarioCommand("form", "Upload by POST of multipart/form-data, as a browser does"),
		newLoadScenarioCommand("tus", "Upload by the tus protocol 1.0"),
		newLoadScenarioCommand("get", "Download"),
		newLoadVersusCommand(),
	)
	return cmd
}

// newLoadScenarioCommand returns the command that measures one scenario.
func newLoadScenarioCommand(scenario, short string) *cobra.Command {
	var flags loadFlags
	var url string
	var pids []int
	cmd := &cobra.Command{
		Use:   scenario + " --url URL",
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan := flags.plan(scenario, url, pids)
			if err := plan.Validate(); err != nil {
				return loadUsageError{err}
			}
			return flags.report(cmd, func(ctx context.Context, rows *record.Run, progress io.Writer) (loadResult, error) {
				err := loadtest.Measure(ctx, plan, flags.repeats, rows, progress)
				return report.NewRun(rows), err
			})
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "`URL` of a folder, which ends in /, of a file, or of what form and tus post to")
	cmd.Flags().IntSliceVar(&pids, "pid", nil, "`process` of the server whose processor time and memory are read (repeatable)")
	flags.register(cmd.Flags())
	_ = cmd.MarkFlagRequired("url") // fails only for a flag that isn't there
	return cmd
}

// loadUsageError says that the flags make no sense together. Nothing was run.
type loadUsageError struct{ error }

// ExitCode returns that of wrong usage.
func (loadUsageError) ExitCode() int { return 2 }

func (e loadUsageError) Unwrap() error { return e.error }

// loadResult is what a run or a comparison leaves.
type loadResult interface {
	Err() error
	WriteText(io.Writer) error
	WriteJSON(io.Writer) error
}

// report does the work, with an interrupt breaking it off in good order, and
// writes its result as the flags say.
func (f *loadFlags) report(cmd *cobra.Command, work func(context.Context, *record.Run, io.Writer) (loadResult, error)) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var progress io.Writer
	if !f.noProgress {
		progress = cmd.ErrOrStderr()
	}
	rows := &record.Run{}
	result, err := work(ctx, rows, progress)
	if len(rows.Headers) == 0 {
		return err // nothing was begun
	}
	if writeErr := f.write(cmd.OutOrStdout(), result); writeErr != nil {
		return fmt.Errorf("write report: %w", writeErr)
	}
	if err != nil {
		return err
	}
	return result.Err()
}

// write writes the table to stdout, and the JSON document to its file. If that
// is stdout, it stands there alone.
func (f *loadFlags) write(stdout io.Writer, result loadResult) error {
	if f.jsonFile == "-" {
		return result.WriteJSON(stdout)
	}
	if err := result.WriteText(stdout); err != nil {
		return err
	}
	if f.jsonFile == "" {
		return nil
	}
	file, err := os.Create(f.jsonFile)
	if err != nil {
		return err
	}
	if err := result.WriteJSON(file); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
