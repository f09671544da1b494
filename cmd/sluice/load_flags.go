package main

import (
	"github.com/spf13/pflag"

	"sluice/loadtest/report"
)

// loadFlags are the flags that all kinds of load have in common.
type loadFlags struct {
	repeats    int
	records    string
	prometheus string
	out        outputFlags
	noProgress bool
	lead       []report.Section // what the work itself has to say, first of all
}

func (f *loadFlags) register(flags *pflag.FlagSet, repeats int) {
	flags.IntVar(&f.repeats, "repeat", repeats, "how often to do it all")
	flags.StringVar(&f.records, "records", "", "write each transfer, second and repeat to this `file` while the run goes on: .jsonl or .csv, and .zst to compress it")
	flags.StringVar(&f.prometheus, "prometheus-listen", "", "`address` on which Prometheus can fetch the numbers of the run while it goes on, under /metrics")
	f.out.register(flags)
	flags.BoolVar(&f.noProgress, "no-progress", false, "show no progress bar")
}
