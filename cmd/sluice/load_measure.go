package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/pflag"

	"sluice/loadtest"
	"sluice/loadtest/agent"
	"sluice/loadtest/record"
)

// measureFlags say who does the work of a plan, and what is asked of the server
// beside it.
type measureFlags struct {
	metricsURL string
	agents     []string
	secretFile string
}

func (f *measureFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.metricsURL, "metrics-url", "", "`URL` of the server's Prometheus metrics, whose bytes must agree with the tester's")
	flags.StringSliceVar(&f.agents, "agents", nil, "`addresses` of the agents that do the work in place of this machine, each of them all of it")
	flags.StringVar(&f.secretFile, "secret-file", "", secretUsage)
}

// measure does the work and writes its rows.
func (f *measureFlags) measure(ctx context.Context, plan loadtest.Plan, repeats int, sink record.Sink, progress io.Writer) error {
	if f.metricsURL == "" {
		return f.work(ctx, plan, repeats, sink, progress)
	}
	metrics := &loadtest.ServerMetrics{Sink: sink, URL: f.metricsURL}
	err := f.work(ctx, plan, repeats, metrics, progress)
	return errors.Join(err, metrics.End(ctx))
}

// work has it done here or by agents.
func (f *measureFlags) work(ctx context.Context, plan loadtest.Plan, repeats int, sink record.Sink, progress io.Writer) error {
	if len(f.agents) == 0 {
		return loadtest.Measure(ctx, plan, repeats, sink, progress)
	}
	secret, err := readSecret(f.secretFile)
	if err != nil {
		return loadUsageError{err}
	}
	team := agent.Team{Agents: f.agents, Secret: secret, Plan: plan, Repeats: repeats}
	return team.Run(ctx, sink)
}
