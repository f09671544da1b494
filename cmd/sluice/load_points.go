package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/loadtest"
	"sluice/loadtest/record"
)

// ways are the scenarios that can be swept, drawn as a line, or searched for a
// rate.
var ways = []string{"put", "form", "tus", "get"}

// newLoadSweepCommand returns the command that runs a scenario at several values
// of one variable.
func newLoadSweepCommand() *cobra.Command {
	var flags loadFlags
	var plan planFlags
	var vary, server, folder string
	cmd := &cobra.Command{
		Use:   "sweep " + strings.Join(ways, "|") + " --vary VARIABLE=VALUE,...",
		Short: "Do the same at several values of one variable",
		Long: `Do the same at several values of one variable, and compare.

The variable is size, chunk, range, streams, files, parallel or rate; or block, for which a sluice of
each block size is started (--folder is the disk it writes to). With --server, which is a command to
start a server with, the variable may have any name: {value} in the command stands for its values,
{listen} there and in --url for host and port, {root} for an empty folder.`,
		Example: `  sluice load sweep put --url http://127.0.0.1:8080/files/ --vary streams=1,4,16
  sluice load sweep put --vary block=8KiB,1MiB,10MiB --size 600037000`,
		ValidArgs: ways,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan.Scenario = args[0]
			sweep := loadtest.SweepPlan{Plan: plan.Plan, Repeats: flags.repeats}
			name, values, _ := strings.Cut(vary, "=")
			sweep.Variable, sweep.Values = name, strings.Split(values, ",")
			if err := launch(&sweep, server, folder, cmd.ErrOrStderr()); err != nil {
				return loadUsageError{err}
			}
			if err := sweep.Validate(); err != nil {
				return loadUsageError{err}
			}
			return flags.run(cmd, func(ctx context.Context, sink record.Sink, progress io.Writer) error {
				return loadtest.Sweep(ctx, sweep, sink, progress)
			})
		},
	}
	f := cmd.Flags()
	plan.server(cmd)
	plan.register(f, ways...)
	f.DurationVar(&plan.WarmUp, "warm-up", 0, "time of the same work at each value before what counts")
	f.StringVar(&vary, "vary", "", "`variable=value,...`")
	f.StringVar(&server, "server", "", "`command` that starts a server for each value")
	f.StringVar(&folder, "folder", "", "`folder` in which servers that are started have theirs (default the system's for temporary files)")
	flags.register(f, 3)
	_ = cmd.MarkFlagRequired("vary") // fails only for a flag that isn't there
	return cmd
}

// launch says how to start the servers of a sweep, if there are to be any.
func launch(sweep *loadtest.SweepPlan, server, folder string, output io.Writer) error {
	command := strings.Fields(server)
	if server == "" && sweep.Variable == "block" {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		command = []string{program, "serve", "--root", "{root}", "--listen", "{listen}", "--admin-listen", "", "--block-size", "{value}", "--log-level", "error"}
		if sweep.Plan.URL == "" {
			sweep.Plan.URL = "http://{listen}" + map[bool]string{true: "/tus/", false: "/files/"}[sweep.Plan.Scenario == "tus"]
		}
	}
	switch {
	case len(command) == 0 && sweep.Plan.URL == "":
		return errors.New("url: there is none")
	case len(command) == 0:
		return nil
	case !strings.Contains(sweep.Plan.URL, "{listen}"):
		return errors.New("url: it has to have {listen}, where the server that is started listens")
	}
	sweep.Server = &loadtest.Launch{Command: command, Folder: folder, Output: output}
	return nil
}

// newLoadLineCommand returns the command that finds what a request and what a
// byte costs.
func newLoadLineCommand() *cobra.Command {
	var flags loadFlags
	var plan planFlags
	sweep := loadtest.SweepPlan{Variable: "size", Budget: 64 << 20}
	sizes := strings.Split("4B,16B,64B,256B,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB,4MiB,16MiB,64MiB", ",")
	cmd := &cobra.Command{
		Use:   "line " + strings.Join(ways, "|") + " --url URL",
		Short: "Find what a request and what a byte costs",
		Long: `Move files of many lengths, from 4 bytes to 64 MiB: what a request costs and what a byte costs are
the two ends of a line through their times.`,
		ValidArgs: ways,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan.Scenario = args[0]
			sweep.Plan, sweep.Repeats, sweep.Values = plan.Plan, flags.repeats, sizes
			if err := sweep.Validate(); err != nil {
				return loadUsageError{err}
			}
			return flags.run(cmd, func(ctx context.Context, sink record.Sink, progress io.Writer) error {
				return loadtest.Sweep(ctx, sweep, sink, progress)
			})
		},
	}
	f := cmd.Flags()
	plan.server(cmd)
	plan.content(f)
	plan.connection(f)
	plan.checks(f)
	plan.Streams = 1
	f.StringSliceVar(&sizes, "sizes", sizes, "lengths of the files")
	f.Var((*byteSize)(&sweep.Budget), "budget", "about how many bytes are moved at each length, by 3 to 1000 files")
	flags.register(f, 1)
	return cmd
}

// newLoadRateCommand returns the command that searches the highest rate.
func newLoadRateCommand() *cobra.Command {
	var flags loadFlags
	var plan planFlags
	var search loadtest.RatePlan
	cmd := &cobra.Command{
		Use:   "rate " + strings.Join(ways, "|") + " --url URL",
		Short: "Search the highest rate that is sustained without errors",
		Long: `Search the highest number of transfers per second at which none fails and as many end as begin.

The rate is doubled until it is too much; then the interval is halved. Transfers that fail on the way
are failures as everywhere: the exit code is not 0.`,
		ValidArgs: ways,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan.Scenario = args[0]
			search.Plan = plan.Plan
			if err := search.Validate(); err != nil {
				return loadUsageError{err}
			}
			return flags.run(cmd, func(ctx context.Context, sink record.Sink, progress io.Writer) error {
				_, err := loadtest.FindRate(ctx, search, sink, progress)
				return err
			})
		},
	}
	f := cmd.Flags()
	plan.Streams = 256
	plan.server(cmd)
	plan.files(f)
	f.IntVar(&plan.Streams, "streams", plan.Streams, "transfers at once, at most")
	plan.connection(f)
	plan.checks(f)
	f.IntVar(&plan.Objects, "objects", 0, "get: files that downloads are spread over (default 1)")
	f.Float64Var(&search.From, "from", 10, "transfers per second of the first probe")
	f.Float64Var(&search.To, "to", 1e5, "highest rate to try")
	f.DurationVar(&search.Probe, "probe", 5*time.Second, "how long each rate is tried")
	f.Float64Var(&search.Precision, "precision", 1.05, "ratio of what is too much to what is not at which the search ends")
	flags.register(f, 1)
	return cmd
}
