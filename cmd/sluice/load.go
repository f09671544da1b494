package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"sluice/loadtest/live"
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
as that can be checked, and its file was removed afterwards (unless --keep). It is 3
if something failed, and 4 if all went well but a --threshold was missed.`,
		Args: cobra.NoArgs,
	}
	for _, scenario := range scenarioCommands() {
		cmd.AddCommand(newLoadScenarioCommand(scenario))
	}
	cmd.AddCommand(
		newLoadSweepCommand(),
		newLoadLineCommand(),
		newLoadRateCommand(),
		newLoadVersusCommand(),
		newLoadExperimentCommand(),
		newLoadReportCommand(),
		newLoadCompareCommand(),
		newLoadAgentCommand(),
	)
	return cmd
}

// loadUsageError says that the flags make no sense together. Nothing was run.
type loadUsageError struct{ error }

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
	sink, closeSinks, err := f.openSinks(cmd.ErrOrStderr(), result)
	if err != nil {
		return err
	}
	err = errors.Join(work(ctx, sink, progress), closeSinks())
	result.Lead = f.lead
	return f.out.finish(cmd.OutOrStdout(), result, err)
}

// openSinks returns where rows go: to result, and as the flags say to records and
// to Prometheus.
func (f *loadFlags) openSinks(stderr io.Writer, result *report.Report) (record.Sink, func() error, error) {
	sinks := []record.Sink{result}
	var ends []func() error
	end := func() error {
		var faults []error
		for _, end := range ends {
			faults = append(faults, end())
		}
		return errors.Join(faults...)
	}
	if f.records != "" {
		file, err := record.Create(f.records)
		if err != nil {
			return nil, nil, err
		}
		sinks, ends = append(sinks, file), append(ends, file.Close)
	}
	if f.prometheus != "" {
		exporter := live.NewExporter()
		address, stop, err := exporter.Listen(f.prometheus)
		if err != nil {
			return nil, nil, errors.Join(err, end())
		}
		fmt.Fprintf(stderr, "metrics of the run: http://%s/metrics\n", address)
		sinks, ends = append(sinks, exporter), append(ends, func() error { stop(); return nil })
	}
	return record.Tee(sinks...), end, nil
}
