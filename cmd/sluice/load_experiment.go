package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"sluice/loadtest/experiment"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// newLoadExperimentCommand returns the command of the four experiments.
func newLoadExperimentCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "experiment",
		Short: "Repeat four measurements of earlier servers, old figures beside new ones",
		Long: `Repeat four measurements of earlier servers on this machine, and show their figures beside those of
today. Each starts the servers that it needs from this program, and takes less than three minutes on a
machine that is not busy with something else.`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(newExperimentUploads(), newExperimentSoak(), newExperimentLine(), newExperimentResponses())
	return cmd
}

// experimentFlags are what all of them have in common.
type experimentFlags struct {
	loadFlags
	experiment.Options
}

// command returns a command that does work.
func (f *experimentFlags) command(use, short, long string, repeats int, work func(context.Context, experiment.Options) ([]report.Section, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if f.Program, err = os.Executable(); err != nil {
				return err
			}
			return f.run(cmd, func(ctx context.Context, sink record.Sink, progress io.Writer) error {
				f.Sink, f.Progress = sink, progress
				f.lead, err = work(ctx, f.Options)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&f.Folder, "folder", "", "`folder` on the disk to be measured (default the system's for temporary files)")
	cmd.Flags().Uint64Var(&f.Seed, "seed", 1, "chooses the content")
	cmd.Flags().Float64Var(&f.Scale, "scale", 1, "multiplies the lengths of files: with less than 1 the figures are no longer comparable")
	f.register(cmd.Flags(), repeats)
	return cmd
}

func newExperimentUploads() *cobra.Command {
	f := new(experimentFlags)
	return f.command("upload-buffers", "Upload large files with buffers of 8 KB to 30 MB",
		`Upload files of 600037000 and 106491000 bytes by form, the larger one by PUT too, to servers with
blocks of 8 KiB, 1, 10 and 30 MiB; and files of 731654144, 1463308288 and 2500000000 bytes once. About
25 GB are written, and removed again.`, 3,
		func(ctx context.Context, o experiment.Options) ([]report.Section, error) {
			return experiment.UploadBuffers(ctx, o, f.repeats)
		})
}

func newExperimentSoak() *cobra.Command {
	f := new(experimentFlags)
	plan := experiment.SoakPlan{Streams: 8}
	memory, size := byteSize(64<<20), byteSize(100e3)
	cmd := f.command("soak", "Read and write while the store outgrows the memory",
		`Read and write files, four reads to one write, while the store grows to many times the memory that the
server has for buffers: objects and bytes per second at the end against those at the beginning. With
--duration 48h it is what it was.`, 1,
		func(ctx context.Context, o experiment.Options) ([]report.Section, error) {
			plan.Memory, plan.Size = int64(memory), int64(size)
			return experiment.Soak(ctx, o, plan)
		})
	cmd.Flags().DurationVar(&plan.Duration, "duration", 2*time.Minute, "how long")
	cmd.Flags().Var(&memory, "memory", "the server's --buffer-memory")
	cmd.Flags().IntVar(&plan.Multiple, "multiple", 90, "how many times the memory the store may become; then files are only read")
	cmd.Flags().IntVar(&plan.Streams, "streams", plan.Streams, "transfers at once")
	cmd.Flags().Var(&size, "size", "length of each file")
	return cmd
}

func newExperimentLine() *cobra.Command {
	return new(experimentFlags).command("line", "Find what a request and a byte cost, beside a raw copy over TCP",
		`Move files of 4 bytes to 64 MiB by PUT, form, tus and GET, one after the other over one connection.
What a request costs and what a byte costs are the two ends of a line through the times; so it is done
with a raw copy over TCP.`, 1, experiment.LineOfCosts)
}

func newExperimentResponses() *cobra.Command {
	var plan experiment.ResponsesPlan
	cmd := new(experimentFlags).command("responses", "Find how many answers per second, each over a connection of its own",
		`Download files of 0 bytes, 3 and 100 KB, 1 and 10 MB, each over a connection that is closed at once: at
the rates of the old measurement, and at the highest one without errors; from sluice, from a raw accept
loop, and from nginx if there is one.`, 1,
		func(ctx context.Context, o experiment.Options) ([]report.Section, error) {
			return experiment.Responses(ctx, o, plan)
		})
	cmd.Flags().DurationVar(&plan.Probe, "probe", 2*time.Second, "how long each rate is tried")
	cmd.Flags().StringVar(&plan.Nginx, "nginx", "", "`URL`, ending in /, of a folder of an nginx that takes PUT")
	return cmd
}
