package main

import (
	"context"
	"errors"
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
		newLoadReportCommand(),
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
			return flags.run(cmd, func(ctx context.Context, sink record.Sink, progress io.Writer) error {
				return loadtest.Measure(ctx, plan, flags.repeats, sink, progress)
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

// run does the work, with an interrupt breaking it off in good order, while its
// rows go to the records and the report, and writes the report as the flags say.
func (f *loadFlags) run(cmd *cobra.Command, work func(context.Context, record.Sink, io.Writer) error) error {
	if err := f.out.validate(); err != nil {
		return loadUsageError{err}
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var progress io.Writer
	if !f.noProgress {
		progress = cmd.ErrOrStderr()
	}
	result := report.New()
	sink, closeRecords, err := f.openRecords(result)
	if err != nil {
		return err
	}
	err = errors.Join(work(ctx, sink, progress), closeRecords())
	return f.out.finish(cmd.OutOrStdout(), result, err)
}

// openRecords returns where rows go: to result, and to the records if there are
// to be any.
func (f *loadFlags) openRecords(result *report.Report) (record.Sink, func() error, error) {
	if f.records == "" {
		return result, func() error { return nil }, nil
	}
	file, err := record.Create(f.records)
	if err != nil {
		return nil, nil, err
	}
	return record.Tee(file, result), file.Close, nil
}
