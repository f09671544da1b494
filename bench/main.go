// Command bench measures sluice beside its peers on this machine and prints the
// table of docs/BENCHMARKS.md.
//
// It owns the series, starting and stopping the servers on free ports of
// 127.0.0.1, and the table. The measuring itself is done by `sluice load
// versus`, which alternates between the two sides of a series.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
)

type options struct {
	scratch string
	only    *regexp.Regexp
	pairs   int
	size    int64
	quick   bool
	binary  string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	opts, err := parse()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(opts.scratch, 0o755); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(filepath.Join(opts.scratch, "files"))) }()
	if opts.binary == "" {
		if opts.binary, err = buildSluice(ctx, opts.scratch); err != nil {
			return err
		}
	}
	var selected []series
	for _, s := range allSeries(opts.size, opts.quick) {
		if opts.only.MatchString(s.name) {
			selected = append(selected, s)
		}
	}
	if !opts.quick {
		if err := touchMemory(); err != nil {
			return err
		}
	}
	peers, err := startPeers(ctx, opts, selected)
	defer func() { err = errors.Join(err, peers.stop()) }()
	if err != nil {
		return err
	}
	table := newTable(os.Stdout)
	for _, s := range selected {
		result, err := s.measure(ctx, opts, peers)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		table.add(s, result)
	}
	return table.err
}

func parse() (options, error) {
	var opts options
	var only string
	flag.StringVar(&opts.scratch, "scratch", ".bench", "folder for binaries and files, on the disk to be measured")
	flag.StringVar(&only, "only", "", "regular expression that the names of the series have to match")
	flag.BoolVar(&opts.quick, "quick", false, "a short form, to see that all works: 1 pair, 100 MB per turn, 1 and 16 streams")
	flag.IntVar(&opts.pairs, "pairs", 5, "pairs of turns per series")
	flag.Int64Var(&opts.size, "size", 2_000_000_000, "bytes per turn")
	flag.StringVar(&opts.binary, "sluice", "", "binary of sluice to measure (default: built from this tree)")
	flag.Parse()
	if opts.quick {
		given := map[string]bool{}
		flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
		if !given["pairs"] {
			opts.pairs = 1
		}
		if !given["size"] {
			opts.size = 100_000_000
		}
	}
	var err error
	if opts.only, err = regexp.Compile(only); err != nil {
		return opts, fmt.Errorf("only: %w", err)
	}
	opts.scratch, err = filepath.Abs(opts.scratch)
	return opts, err
}
