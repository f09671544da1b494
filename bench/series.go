package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// series is one comparison: the same work on two sides, in turn.
type series struct {
	name      string
	scenario  string
	scenarioB string // where B does other work than A
	server    string // of A: sluice, where it isn't said
	peer      string // of B: nginx, tusd or another sluice
	streams   int
	size      int64 // of each file in bytes
	files     int   // that each stream moves over one connection
	sustained int   // files back to back, kept until the turn ends
	// own lets the series have a folder of its own, for kept files that it must
	// not replace.
	own bool
	// synced lets the tester sync B's file and folder after each answer.
	synced bool
	// file is the one that all streams download, where B can't be given files.
	file  string
	extra []string
	bars
}

// bars are what a series is meant to reach: least is the ratio of rates A to B,
// most the ratio of processor time that must not be passed (0: not compared).
type bars struct{ least, most float64 }

// warm lets both servers have the file in the page cache before it counts:
// sluice puts it there when it is asked for the second time.
var warm = []string{"--warm-up", "2"}

// cold has the page cache dropped before each turn.
var cold = []string{"--cold"}

// keep leaves the files where they are: creating files soon after many were
// removed is a slow path of ext4, and not what is to be measured.
var keep = []string{"--keep"}

// crowd lets A serve, beside the streams, as many slow and dead clients as it has
// to bear.
var crowd = []string{"--slow-a", "1000", "--slow-rate", "20kB", "--stalled-a", "500"}

// insecure believes the certificate that was made for the occasion.
var insecure = []string{"--insecure"}

// allSeries are measured in this order. Total is the bytes of a burst.
func allSeries(total int64, quick bool) []series {
	streams, files := []int{1, 4, 16}, 625
	if quick {
		streams, files = []int{1, 16}, 50
	}
	var all []series
	// each adds one series for each number of streams, which share the bytes.
	each := func(s series, bars map[int]bars) {
		name := s.name
		for _, n := range streams {
			s.name, s.streams, s.size = fmt.Sprintf("%s-%d", name, n), n, total/int64(n)
			s.least, s.most = bars[n].least, bars[n].most
			if s.peer == "caddy" {
				s.file = s.name + ".bin"
			}
			all = append(all, s)
		}
	}
	each(series{name: "put", scenario: "put", peer: "nginx"}, map[int]bars{1: {1.25, 0.5}, 4: {1.25, 0.5}, 16: {1.15, 0.65}})
	each(series{name: "form", scenario: "form", scenarioB: "put", peer: "sluice"}, map[int]bars{1: {least: 0.8}})
	each(series{name: "tus", scenario: "tus", peer: "tusd"}, map[int]bars{1: {2.2, 0.3}})
	each(series{name: "get-warm", scenario: "get", peer: "nginx", extra: warm}, map[int]bars{1: {least: 1.15}})
	each(series{name: "get-cold", scenario: "get", peer: "nginx", extra: cold}, map[int]bars{1: {least: 2.5}})
	each(series{name: "get-warm-caddy", scenario: "get", peer: "caddy", extra: warm}, nil)
	each(series{name: "get-cold-caddy", scenario: "get", peer: "caddy", extra: cold}, nil)
	return append(all,
		series{name: "put-4-large", scenario: "put", peer: "nginx", streams: 4, size: total, bars: bars{1.25, 0.5}},
		series{name: "put-sustained", scenario: "put", peer: "nginx", streams: 1, size: total, sustained: 8, bars: bars{4, 0.2}},
		series{name: "tus-put", scenario: "tus", scenarioB: "put", peer: "sluice", streams: 1, size: total, bars: bars{least: 0.9}},
		series{name: "put-tls", scenario: "put", server: "sluice-tls", peer: "nginx-tls", streams: 1, size: total, extra: insecure},
		series{name: "put-4-tls", scenario: "put", server: "sluice-tls", peer: "nginx-tls", streams: 4, size: total / 4, extra: insecure},
		series{name: "get-tls", scenario: "get", server: "sluice-tls", peer: "nginx-tls", streams: 1, size: total, extra: append(warm, insecure...)},
		series{name: "put-commit-none", scenario: "put", peer: "sluice-none", streams: 1, size: total, bars: bars{least: 0.85}},
		series{name: "put-commit-synced", scenario: "put", peer: "nginx", streams: 1, size: total, synced: true},
		series{name: "put-crowd-alone", scenario: "put", server: "sluice-crowd", peer: "sluice", streams: 4, size: total / 4, extra: crowd},
		series{name: "small-none", scenario: "put", server: "sluice-none", peer: "nginx", streams: 16, files: files, size: 4096, bars: bars{least: 1}, own: true, extra: keep},
		series{name: "small-commit", scenario: "put", peer: "nginx", streams: 16, files: files, size: 4096, own: true, extra: keep},
		series{name: "small-commit-synced", scenario: "put", peer: "nginx", streams: 16, files: files, size: 4096, own: true, synced: true, extra: keep},
		series{name: "small-get", scenario: "get", peer: "nginx", streams: 16, files: files, size: 4096},
	)
}

// result is what `sluice load versus` reports, as far as the table needs it.
type result struct {
	Pairs []struct {
		A struct {
			Rates []float64 `json:"mb_per_second"`
		} `json:"a"`
	} `json:"pairs"`
	Summary struct {
		A, B     side
		Ratio    struct{ Median, Min, Max float64 } `json:"ratio"`
		CPURatio float64                            `json:"server_cpu_ratio"`
	} `json:"summary"`
}

type side struct {
	Rate struct{ Median, Min, Max float64 } `json:"mb_per_second"`
	CPU  struct{ Median float64 }           `json:"server_cpu_seconds_per_gb"`
	// Tester is the tester's own cost.
	Tester struct{ Median float64 } `json:"tester_cpu_seconds_per_gb"`
	Peak   int64                    `json:"server_peak_rss_bytes"`
}

func (s series) measure(ctx context.Context, opts options, p *peers) (result, error) {
	report := filepath.Join(opts.scratch, s.name+".json")
	a, b := p.servers[s.a()], p.servers[s.peer]
	if err := errors.Join(forgetPeak(a), forgetPeak(b)); err != nil {
		return result{}, err
	}
	if s.file != "" {
		name := filepath.Join(b.store, s.file)
		if err := writeRandom(name, s.size); err != nil {
			return result{}, err
		}
		defer os.Remove(name)
	}
	args := append(s.args(opts, p), "--json", report)
	fmt.Fprintf(os.Stderr, "%s: sluice %v\n", s.name, args)
	cmd := exec.CommandContext(ctx, opts.binary, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	runErr := cmd.Run()
	data, err := os.ReadFile(report)
	if err := errors.Join(runErr, err); err != nil {
		return result{}, err
	}
	var r result
	if err := json.Unmarshal(data, &r); err != nil {
		return result{}, fmt.Errorf("read report: %w", err)
	}
	return r, nil
}

func (s series) args(opts options, p *peers) []string {
	a, b := p.servers[s.a()], p.servers[s.peer]
	args := []string{
		"load", "versus", s.scenario, "--a", a.url(s.scenario) + s.place(), "--b", b.url(s.scenarioOfB()) + s.place(),
		"--size", strconv.FormatInt(s.size, 10), "--streams", strconv.Itoa(s.streams),
		"--repeat", strconv.Itoa(opts.pairs), "--no-progress",
	}
	if s.scenarioB != "" {
		args = append(args, "--scenario-b", s.scenarioB)
	}
	if s.files > 0 {
		args = append(args, "--files", strconv.Itoa(s.files))
	}
	if s.sustained > 0 {
		args = append(args, "--sustained", strconv.Itoa(s.sustained))
	}
	if s.synced {
		args = append(args, "--sync-b", filepath.Join(b.store, s.place()))
	}
	for _, pid := range a.pids {
		args = append(args, "--pid-a", strconv.Itoa(pid))
	}
	for _, pid := range b.pids {
		args = append(args, "--pid-b", strconv.Itoa(pid))
	}
	return append(args, s.extra...)
}

// a is the server of A.
func (s series) a() string { return cmp.Or(s.server, "sluice") }

// place is the folder in which the series puts its files, or the file that all
// download.
func (s series) place() string {
	if s.own {
		return s.name + "/"
	}
	return s.file
}

func (s series) scenarioOfB() string {
	if s.scenarioB != "" {
		return s.scenarioB
	}
	return s.scenario
}
