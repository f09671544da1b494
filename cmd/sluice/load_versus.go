package main

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"sluice/loadtest"
	"sluice/loadtest/record"
)

// newLoadVersusCommand returns the command that compares two servers.
func newLoadVersusCommand() *cobra.Command {
	var flags loadFlags
	var plan planFlags
	var urlA, urlB, scenarioB string
	var pidsA, pidsB []int
	var versus loadtest.VersusPlan
	var crowd loadtest.Crowd
	var syncA, syncB string
	slowRate := byteSize(20e3)
	cmd := &cobra.Command{
		Use:       "versus put|form|tus|get --a URL --b URL",
		Short:     "Compare two servers, or two ways into one, in alternate turns",
		ValidArgs: []string{"put", "form", "tus", "get"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			versus.A, versus.B = plan.Plan, plan.Plan
			versus.A.Scenario, versus.A.URL, versus.A.PIDs = args[0], urlA, pidsA
			versus.B.Scenario, versus.B.URL, versus.B.PIDs = cmp.Or(scenarioB, args[0]), urlB, pidsB
			versus.Pairs = flags.repeats
			versus.A.SyncFolder, versus.B.SyncFolder = syncA, syncB
			if crowd.Slow != 0 || crowd.Stalled != 0 {
				crowd.Rate = int64(slowRate)
				versus.A.Crowd = crowd
			}
			if err := versus.Validate(); err != nil {
				return loadUsageError{err}
			}
			return flags.run(cmd, func(ctx context.Context, sink record.Sink, progress io.Writer) error {
				return loadtest.Versus(ctx, versus, sink, progress)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&urlA, "a", "", "`URL` of the one, as of --url elsewhere")
	f.StringVar(&urlB, "b", "", "`URL` of the other")
	f.IntSliceVar(&pidsA, "pid-a", nil, "`process` of A (repeatable)")
	f.IntSliceVar(&pidsB, "pid-b", nil, "`process` of B (repeatable)")
	f.StringVar(&scenarioB, "scenario-b", "", "`scenario` of B, if not that of A")
	f.IntVar(&versus.WarmUp, "warm-up", 1, "pairs that don't count, before those of --repeat")
	f.IntVar(&versus.Sustained, "sustained", 1, "files of each stream back to back in each turn, kept until it is over")
	f.BoolVar(&versus.Settle, "settle", true, "sync the disks of this machine before each turn")
	f.DurationVar(&versus.Pause, "pause", 2*time.Second, "rest before each turn")
	f.StringVar(&syncA, "sync-a", "", "put: `folder` of this machine in which A stores the files; each is synced, with the folder, within its time")
	f.StringVar(&syncB, "sync-b", "", "the same of B")
	f.IntVar(&crowd.Slow, "slow-a", 0, "clients that upload slowly to A by PUT while it is measured")
	f.Var(&slowRate, "slow-rate", "what each of those uploads in a second")
	f.IntVar(&crowd.Stalled, "stalled-a", 0, "clients that begin an upload to A by PUT and fall silent")
	f.DurationVar(&crowd.WarmUp, "crowd-warm-up", 8*time.Second, "how long those are there before what is measured begins")
	plan.register(f, "put", "form", "tus", "get")
	flags.register(f, 3)
	_ = cmd.MarkFlagRequired("a") // these fail only for a flag that isn't there
	_ = cmd.MarkFlagRequired("b")
	return cmd
}
