package main

import (
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"sluice/loadtest"
)

// loadFlags are the flags that all kinds of load have in common.
type loadFlags struct {
	size        byteSize
	streams     int
	files       int
	repeats     int
	seed        uint64
	chunk       byteSize
	verify      bool
	keep        bool
	cold        bool
	coldCommand string
	timeout     time.Duration
	records     string
	prometheus  string
	out         outputFlags
	noProgress  bool
}

func (f *loadFlags) register(flags *pflag.FlagSet) {
	f.size = 1e9
	flags.Var(&f.size, "size", "length of each file, like 2GB or 64MiB")
	flags.IntVar(&f.streams, "streams", 1, "transfers at once")
	flags.IntVar(&f.files, "files", 1, "files that each stream moves in a repeat, one after the other over one connection")
	flags.IntVar(&f.repeats, "repeat", 3, "how often to do it all")
	flags.Uint64Var(&f.seed, "seed", 1, "chooses the content and stands in the names of the files")
	flags.Var(&f.chunk, "chunk", "tus: length of each PATCH, 0 for a single one")
	flags.BoolVar(&f.verify, "verify", true, "check the content of downloads, and the digests that the server states")
	flags.BoolVar(&f.keep, "keep", false, "leave the files on the server")
	flags.BoolVar(&f.cold, "cold", false, "get: drop the page cache of this machine before each download (as root)")
	flags.StringVar(&f.coldCommand, "cold-command", "", "get: shell `command` to run before each download instead of --cold")
	flags.DurationVar(&f.timeout, "timeout", time.Minute, "how long a transfer may stand still")
	flags.StringVar(&f.records, "records", "", "write each transfer, second and repeat to this `file` while the run goes on: .jsonl or .csv, and .zst to compress it")
	flags.StringVar(&f.prometheus, "prometheus-listen", "", "`address` on which Prometheus can fetch the numbers of the run while it goes on, under /metrics")
	f.out.register(flags)
	flags.BoolVar(&f.noProgress, "no-progress", false, "show no progress bar")
}

func (f *loadFlags) plan(scenario, url string, pids []int) loadtest.Plan {
	return loadtest.Plan{
		Scenario:    scenario,
		URL:         url,
		Size:        int64(f.size),
		Streams:     f.streams,
		Files:       f.files,
		Seed:        f.seed,
		Chunk:       int64(f.chunk),
		Verify:      f.verify,
		Keep:        f.keep,
		PIDs:        pids,
		Cold:        f.cold,
		ColdCommand: f.coldCommand,
		Timeout:     f.timeout,
	}
}

// byteSize is a flag that takes a number of bytes with or without a unit.
type byteSize int64

// String returns the size in the form that Set takes.
func (s *byteSize) String() string {
	if *s > 0 && *s%1e6 == 0 {
		return humanize.Bytes(uint64(*s))
	}
	return fmt.Sprint(int64(*s))
}

// Set reads the size: "2GB" is 2e9 bytes, "2GiB" 2<<30.
func (s *byteSize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil {
		return err
	}
	if n > math.MaxInt64 {
		return fmt.Errorf("%s is too large", text)
	}
	*s = byteSize(n)
	return nil
}

// Type returns what stands for the value in the help.
func (s *byteSize) Type() string { return "size" }
