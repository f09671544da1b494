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
	extra  []string
	// least is the ratio of rates A to B to be reached, most the ratio of
	// processor time that must not be passed (0: not compared).
	least, most float64
}

// warm lets both servers have the file in the page cache before it counts:
// sluice puts it there when it is asked for the second time.
var warm = []string{"--warm-up", "2"}

// keep leaves the files where they are: creating files soon after many were
// removed is a slow path of ext4, and not what is to be measured.
var keep = []string{"--keep"}

// crowd lets A serve, beside the streams, as many slow and dead clients as it has
// to bear.
var crowd = []string{"--slow-a", "1000", "--slow-rate", "20kB", "--stalled-a", "500"}

// insecure believes the certificate that was made for the occasion.
var insecure = []string{"--insecure"}

// allSeries are measured in this order. Total is the bytes of a burst.
func allSeries(total int64) []series {
	return []series{
		{name: "put-1", scenario: "put", peer: "nginx", streams: 1, size: total, least: 1.25, most: 0.5},
		{name: "put-4", scenario: "put", peer: "nginx", streams: 4, size: total / 4, least: 1.25, most: 0.5},
		{name: "put-16", scenario: "put", peer: "nginx", streams: 16, size: total / 16, least: 1.15, most: 0.65},
		{name: "put-4-large", scenario: "put", peer: "nginx", streams: 4, size: total, least: 1.25, most: 0.5},
		{name: "put-sustained", scenario: "put", peer: "nginx", streams: 1, size: total, sustained: 8, least: 4, most: 0.2},
		{name: "form-put", scenario: "form", scenarioB: "put", peer: "sluice", streams: 1, size: total, least: 0.8},
		{name: "tus-put", scenario: "tus", scenarioB: "put", peer: "sluice", streams: 1, size: total, least: 0.9},
		{name: "tus-tusd", scenario: "tus", peer: "tusd", streams: 1, size: total, least: 2.2, most: 0.3},
		{name: "get-warm", scenario: "get", peer: "nginx", streams: 1, size: total, least: 1.15, extra: warm},
		{name: "get-cold", scenario: "get", peer: "nginx", streams: 1, size: total, least: 2.5, extra: []string{"--cold"}},
		{name: "put-tls", scenario: "put", server: "sluice-tls", peer: "nginx-tls", streams: 1, size: total, extra: insecure},
		{name: "put-4-tls", scenario: "put", server: "sluice-tls", peer: "nginx-tls", streams: 4, size: total / 4, extra: insecure},
		{name: "get-tls", scenario: "get", server: "sluice-tls", peer: "nginx-tls", streams: 1, size: total, extra: append(warm, insecure...)},
		{name: "put-commit-none", scenario: "put", peer: "sluice-none", streams: 1, size: total, least: 0.85},
		{name: "put-commit-synced", scenario: "put", peer: "nginx", streams: 1, size: total, synced: true},
		{name: "put-crowd-alone", scenario: "put", server: "sluice-crowd", peer: "sluice", streams: 4, size: total / 4, extra: crowd},
		{name: "small-none", scenario: "put", server: "sluice-none", peer: "nginx", streams: 16, files: 625, size: 4096, least: 1, own: true, extra: keep},
		{name: "small-commit", scenario: "put", peer: "nginx", streams: 16, files: 625, size: 4096, own: true, extra: keep},
		{name: "small-commit-synced", scenario: "put", peer: "nginx", streams: 16, files: 625, size: 4096, own: true, synced: true, extra: keep},
	}
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
	Peak int64                              `json:"server_peak_rss_bytes"`
}

func (s series) measure(ctx context.Context, opts options, p *peers) (result, error) {
	report := filepath.Join(opts.scratch, s.name+".json")
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
	a, b := p.servers[cmp.Or(s.server, "sluice")], p.servers[s.peer]
	args := []string{
		"load", "versus", s.scenario, "--a", a.url(s.scenario) + s.folder(), "--b", b.url(s.scenarioOfB()) + s.folder(),
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
		args = append(args, "--sync-b", filepath.Join(b.store, s.folder()))
	}
	for _, pid := range a.pids {
		args = append(args, "--pid-a", strconv.Itoa(pid))
	}
	for _, pid := range b.pids {
		args = append(args, "--pid-b", strconv.Itoa(pid))
	}
	return append(args, s.extra...)
}

// folder is the one in which the series puts its files.
func (s series) folder() string {
	if s.own {
		return s.name + "/"
	}
	return ""
}

func (s series) scenarioOfB() string {
	if s.scenarioB != "" {
		return s.scenarioB
	}
	return s.scenario
}
