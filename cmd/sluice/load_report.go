package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// newLoadReportCommand returns the command that makes a report from records.
func newLoadReportCommand() *cobra.Command {
	var out outputFlags
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Make the report of a run again from its records",
		Long: `Make the report of a run again from the records that --records has left.
It is the same as that of the run itself. Several files are those of parts of one run.

The exit code is that of the run. Records that are cut short give the report of what
they have, and 1.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := out.validate(); err != nil {
				return loadUsageError{err}
			}
			result := report.New()
			var faults []error
			for _, name := range files {
				err := record.ReadFile(name, result)
				if err != nil && !errors.Is(err, record.ErrTruncated) {
					return err
				}
				faults = append(faults, err)
			}
			return out.finish(cmd.OutOrStdout(), result, errors.Join(faults...))
		},
	}
	out.register(cmd.Flags())
	return cmd
}

// outputFlags say what is made of a report.
type outputFlags struct {
	json, markdown, html string
	thresholds           []string
}

func (f *outputFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.json, "json", "", "write the report as JSON to this `file`, - for standard output in place of the tables")
	flags.StringVar(&f.markdown, "markdown", "", "write the report as Markdown to this `file`, - as above")
	flags.StringVar(&f.html, "html", "", "write the report with charts to this `file`, a page that needs nothing else")
	flags.StringArrayVar(&f.thresholds, "threshold", nil, "`condition` that must hold, like 'put.mbps.p50>500' or 'run.server_cpu.median<0.3' (repeatable); 4 is the exit code if one doesn't")
}

// outputs returns the files to write, and in which format.
func (f *outputFlags) outputs() []output {
	return []output{
		{f.json, (*report.Report).WriteJSON},
		{f.markdown, (*report.Report).WriteMarkdown},
		{f.html, (*report.Report).WriteHTML},
	}
}

type output struct {
	file  string
	write func(*report.Report, io.Writer) error
}

// validate returns what is wrong with the flags.
func (f *outputFlags) validate() error {
	toStdout := 0
	for _, o := range f.outputs() {
		if o.file == "-" {
			toStdout++
		}
	}
	if toStdout > 1 {
		return errors.New("only one report can stand on standard output")
	}
	_, err := f.parsed()
	return err
}

// parsed returns the thresholds.
func (f *outputFlags) parsed() ([]report.Threshold, error) {
	var thresholds []report.Threshold
	var faults []error
	for _, text := range f.thresholds {
		threshold, err := report.ParseThreshold(text)
		thresholds, faults = append(thresholds, threshold), append(faults, err)
	}
	return thresholds, errors.Join(faults...)
}

// finish writes the report, if there is anything to tell, and returns what the
// command comes to: err, if the work ended early, and else what the report finds.
func (f *outputFlags) finish(stdout io.Writer, result *report.Report, err error) error {
	if result.Empty() {
		return err
	}
	thresholds, _ := f.parsed() // which validate has seen
	result.Hold(thresholds)
	if writeErr := f.write(stdout, result); writeErr != nil {
		return errors.Join(err, fmt.Errorf("write report: %w", writeErr))
	}
	if err != nil {
		return err
	}
	return result.Err()
}

// write writes the files, and the tables to stdout unless one of the others goes
// there.
func (f *outputFlags) write(stdout io.Writer, result *report.Report) error {
	toStdout := (*report.Report).WriteText
	for _, o := range f.outputs() {
		switch o.file {
		case "":
		case "-":
			toStdout = o.write
		default:
			if err := writeFile(o, result); err != nil {
				return err
			}
		}
	}
	return toStdout(result, stdout)
}

func writeFile(o output, result *report.Report) error {
	file, err := os.Create(o.file)
	if err != nil {
		return err
	}
	return errors.Join(o.write(result, file), file.Close())
}
