package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sluice/loadtest"
	"sluice/loadtest/payload"
)

// planFlags are the flags that say what work is put on a server.
type planFlags struct{ loadtest.Plan }

// server adds the flags that say where the server is.
func (p *planFlags) server(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.URL, "url", "", "`URL` of a folder, which ends in /, of a file, or of what form and tus post to")
	cmd.Flags().IntSliceVar(&p.PIDs, "pid", nil, "`process` of the server whose processor time and memory are read (repeatable)")
	if !strings.HasPrefix(cmd.Use, "sweep") { // which may start one
		_ = cmd.MarkFlagRequired("url") // fails only for a flag that isn't there
	}
}

// register adds the flags that mean something to the plan's scenario, or to one
// of scenarios.
func (p *planFlags) register(flags *pflag.FlagSet, scenarios ...string) {
	scenarios = append(scenarios, p.Scenario)
	p.files(flags)
	p.model(flags)
	p.checks(flags)
	for _, part := range []struct {
		add func(*pflag.FlagSet)
		of  []string
	}{
		{p.tus, []string{"tus", "mixed", "soak"}},
		{p.ranges, []string{"get", "mixed", "soak"}},
		{p.objects, []string{"get", "mixed", "slow", "soak", "resume"}},
		{p.cold, []string{"get"}},
		{p.readBack, []string{"put", "form", "tus", "small", "mixed", "slow", "soak", "resume"}},
		{p.mix, []string{"mixed", "slow", "soak"}},
		{p.soak, []string{"soak"}},
		{p.via, []string{"small", "resume"}},
		{p.resume, []string{"resume"}},
	} {
		if slices.ContainsFunc(scenarios, func(name string) bool { return slices.Contains(part.of, name) }) {
			part.add(flags)
		}
	}
}

func (p *planFlags) files(flags *pflag.FlagSet) {
	if p.Size.Max() == 0 {
		p.Size = payload.Fixed(1e9)
	}
	flags.Var(&p.Size, "size", "length of each file, like 2GB or 64MiB, or a distribution: uniform:1KB-64MB, "+
		"lognormal:MEDIAN,SIGMA[,LARGEST], list:4KB=70,1MB=25,1GB=5 (with weights)")
	p.content(flags)
}

func (p *planFlags) content(flags *pflag.FlagSet) {
	flags.Uint64Var(&p.Seed, "seed", 1, "chooses content and lengths, and stands in the names of the files")
	flags.Float64Var(&p.Compressible, "compressible", 0, "share of the content that can be compressed, from 0 to 1")
}

func (p *planFlags) model(flags *pflag.FlagSet) {
	flags.IntVar(&p.Streams, "streams", max(p.Streams, 1), "transfers at once; with --rate at most so many")
	flags.IntVar(&p.Files, "files", p.Files, "files that each stream moves in a repeat, one after the other over one connection; with --rate files in all (default 1)")
	flags.DurationVar(&p.Duration, "duration", p.Duration, "how long transfers begin in a repeat, in place of --files")
	flags.Float64Var(&p.Rate, "rate", p.Rate, "transfers that begin per second, whether or not earlier ones have ended: what is late counts from when it was due")
	flags.DurationVar(&p.Ramp, "ramp", 0, "time in which the streams join, or the rate grows from 0")
	p.connection(flags)
}

func (p *planFlags) connection(flags *pflag.FlagSet) {
	flags.Var((*byteSize)(&p.StreamRate), "stream-rate", "bytes per second of each stream, 0 for no bound")
	flags.StringVar(&p.Connection, "connection", loadtest.ConnectionKeep, "keep: one for all files of a stream; close: one for each request")
	flags.StringVar(&p.Trust.CAFile, "ca-file", "", "certificates of authorities, in PEM, that are believed over https in place of the system's")
	flags.BoolVar(&p.Trust.Insecure, "insecure", false, "https: believe any certificate")
	flags.DurationVar(&p.Timeout, "timeout", time.Minute, "how long a transfer may stand still")
}

func (p *planFlags) checks(flags *pflag.FlagSet) {
	flags.BoolVar(&p.Verify, "verify", true, "check the content of downloads, and the digests that the server states")
	flags.BoolVar(&p.Keep, "keep", false, "leave the files on the server")
}

func (p *planFlags) tus(flags *pflag.FlagSet) {
	flags.Var((*byteSize)(&p.Chunk), "chunk", "tus: length of each PATCH, 0 for a single one")
	flags.IntVar(&p.Parallel, "parallel", 1, "tus: parts of each file that are sent at once, each over its own connection, and joined")
	flags.BoolVar(&p.Deferred, "defer-length", false, "tus: tell the length of an upload with its last PATCH")
}

func (p *planFlags) ranges(flags *pflag.FlagSet) {
	flags.Var((*byteSize)(&p.Range), "range", "get: length of the ranges in which a file is asked for, 0 for all at once")
}

func (p *planFlags) objects(flags *pflag.FlagSet) {
	flags.IntVar(&p.Objects, "objects", 0, "get: files that are put before the start, for downloads to be spread over (default one for each stream)")
}

func (p *planFlags) cold(flags *pflag.FlagSet) {
	flags.BoolVar(&p.Cold, "cold", false, "get: drop the page cache of this machine before each repeat (as root)")
	flags.StringVar(&p.ColdCommand, "cold-command", "", "get: shell `command` to run before each repeat instead of --cold")
}

func (p *planFlags) readBack(flags *pflag.FlagSet) {
	flags.BoolVar(&p.ReadBack, "read-back", p.ReadBack, "download every upload after its time, and compare it byte by byte")
}

func (p *planFlags) mix(flags *pflag.FlagSet) {
	flags.Var(&p.Weights, "weights", "shares of put, form, tus and get")
	flags.StringVar(&p.TusURL, "tus-url", "", "`URL` that tus posts to, if it has a share")
}

func (p *planFlags) soak(flags *pflag.FlagSet) {
	flags.Var((*byteSize)(&p.Grow), "grow", "bytes of uploads after which files are only downloaded, 0 for no bound")
}

func (p *planFlags) via(flags *pflag.FlagSet) {
	usage := "way of the uploads: put, form or tus"
	if p.Scenario == "resume" {
		usage = "tus for uploads, get for downloads"
	}
	flags.StringVar(&p.Via, "via", p.Via, usage)
}

func (p *planFlags) resume(flags *pflag.FlagSet) {
	flags.IntVar(&p.Cuts, "cuts", p.Cuts, "how often the connection of each file is cut")
}

// byteSize is a flag that takes a number of bytes with or without a unit.
type byteSize int64

// String returns the size in the form that Set takes.
func (s *byteSize) String() string { return payload.FormatSize(int64(*s)) }

// Set reads the size: "2GB" is 2e9 bytes, "2GiB" 2<<30.
func (s *byteSize) Set(text string) error {
	n, err := payload.ParseSize(text)
	*s = byteSize(n)
	return err
}

// Type returns what stands for the value in the help.
func (s *byteSize) Type() string { return "size" }
