package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"sluice/loadtest"
	"sluice/loadtest/payload"
	"sluice/loadtest/record"
)

// scenarioCommand is the command of one scenario: its words, and what its flags
// begin with.
type scenarioCommand struct {
	short, long string
	plan        loadtest.Plan
}

// scenarioCommands are in the order of the help.
func scenarioCommands() []scenarioCommand {
	return []scenarioCommand{
		{"Upload by PUT", "", loadtest.Plan{Scenario: "put"}},
		{"Upload by POST of multipart/form-data, as a browser does", "", loadtest.Plan{Scenario: "form"}},
		{"Upload by the tus protocol 1.0", "In one PATCH or several (--chunk), in parts at once that are joined (--parallel),\nor with the length told last (--defer-length).",
			loadtest.Plan{Scenario: "tus"}},
		{"Download", "A file that is there under the URL is taken as it is; else the tester puts files of its own.",
			loadtest.Plan{Scenario: "get"}},
		{"Upload many small files", "Requests rather than bytes are the cost.",
			loadtest.Plan{Scenario: "small", Via: "put", Size: payload.Fixed(4 << 10), Streams: 16, Files: 625}},
		{"Upload and download at the same time, by weights", "Downloads ask for any file that is there: those put before the start, and those uploaded since.",
			loadtest.Plan{Scenario: "mixed", Weights: loadtest.Weights{{Way: "put", Weight: 3}, {Way: "get", Weight: 5}}, Size: payload.Fixed(10e6), Streams: 4, Files: 10}},
		{"Upload and download over slow connections", "Each stream moves at --stream-rate, up or down by weights.",
			loadtest.Plan{Scenario: "slow", Weights: loadtest.Weights{{Way: "put", Weight: 1}, {Way: "get", Weight: 1}}, Size: payload.Fixed(200e3), Streams: 100, StreamRate: 20e3}},
		{"Upload and download for long, while the files become more", "Once --grow bytes have been uploaded, files are only downloaded.",
			loadtest.Plan{Scenario: "soak", Weights: loadtest.Weights{{Way: "put", Weight: 1}, {Way: "get", Weight: 3}}, Size: payload.Fixed(1e6), Streams: 4, Duration: time.Minute, Grow: 1e9}},
		{"Cut connections and go on", "Each file's connection is cut at random offsets. An upload by tus goes on from where HEAD says that the\nserver stands, a download by Range from the last byte that came. The whole is verified.",
			loadtest.Plan{Scenario: "resume", Via: "tus", Cuts: 3, ReadBack: true, Size: payload.Fixed(100e6)}},
	}
}

// newLoadScenarioCommand returns the command that measures one scenario.
func newLoadScenarioCommand(scenario scenarioCommand) *cobra.Command {
	var flags loadFlags
	plan := planFlags{scenario.plan}
	var measured measureFlags
	cmd := &cobra.Command{
		Use:   plan.Scenario + " --url URL",
		Short: scenario.short,
		Long:  scenario.short + ".\n\n" + scenario.long,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("duration") && !cmd.Flags().Changed("files") {
				plan.Files = 0
			}
			if cmd.Flags().Changed("files") && !cmd.Flags().Changed("duration") {
				plan.Duration = 0
			}
			if err := plan.Validate(); err != nil {
				return loadUsageError{err}
			}
			if measured.metricsURL != "" && (plan.ReadBack || plan.WarmUp > 0) {
				return loadUsageError{errors.New("metrics-url: the server also counts what is read back, and the warm-up")}
			}
			return flags.run(cmd, func(ctx context.Context, sink record.Sink, progress io.Writer) error {
				return measured.measure(ctx, plan.Plan, flags.repeats, sink, progress)
			})
		},
	}
	plan.server(cmd)
	plan.register(cmd.Flags())
	measured.register(cmd.Flags())
	cmd.Flags().DurationVar(&plan.WarmUp, "warm-up", 0, "time of the same work before what counts")
	flags.register(cmd.Flags(), repeatsOf(plan.Scenario))
	return cmd
}

// repeatsOf is how often a scenario is done by default.
func repeatsOf(scenario string) int {
	if scenario == "soak" {
		return 1
	}
	return 3
}
