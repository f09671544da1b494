package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sluice/config"
	"sluice/internal/doctor"
)

// newDoctorCommand returns the command `doctor`. Its errors wrap
// [doctor.ErrProblems] when it has found any.
func newDoctorCommand(environ []string) *cobra.Command {
	var (
		publicURL string
		visit     doctor.Visit
		fields    []string
		away      bool
		asJSON    bool
	)
	size := byteSize(12e6)
	cmd := &cobra.Command{
		Use:   "doctor [--url PUBLIC_URL]",
		Short: "Examine a deployment: this machine, and the proxy in front",
		Long: `Examine this machine with the settings that serve would have: file system, space, limits, memory, permissions.
With --url, examine what stands in front of a running server as well, by what comes through: buffering, limits,
lost fields, wrong addresses, timeouts. What is uploaded for that is removed.

Each problem comes with the setting that mends it. The exit code is 0 only if there is none.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			var report doctor.Report
			if !away {
				cfg, err := config.Load(cmd.Flags(), environ)
				report = examineMachine(cfg, err)
			}
			if publicURL != "" {
				var err error
				if visit.URL, err = url.Parse(publicURL); err != nil {
					return err
				}
				visit.Size = int64(size)
				if visit.Fields, err = fieldLines(fields); err != nil {
					return err
				}
				report.Findings = append(report.Findings, visit.Examine(ctx).Findings...)
			}
			write := report.WriteText
			if asJSON {
				write = report.WriteJSON
			}
			if err := write(cmd.OutOrStdout()); err != nil {
				return fmt.Errorf("write report: %w", err)
			}
			return report.Err()
		},
	}
	f := cmd.Flags()
	f.StringVar(&publicURL, "url", "", "public `URL` of the server, as its clients have it")
	f.StringVar(&visit.Connect, "connect", "", "`host:port` to connect to, whatever the URL's host leads to")
	f.StringArrayVar(&fields, "header", nil, "`field` that goes with each request, or @FILE of such lines: what is secret, like Authorization, belongs there (repeatable)")
	f.DurationVar(&visit.Wait, "wait", 20*time.Second, "silence that transfers have to endure, less than the server's --idle-timeout; 0 leaves that out")
	f.Var(&size, "size", "length of the largest upload")
	f.BoolVar(&away, "away", false, "this isn't the server's machine: examine what is behind the URL alone")
	f.BoolVar(&asJSON, "json", false, "print one JSON document")
	config.Flags(f)
	return cmd
}

// examineMachine turns faults of the settings into problems, as far as there are any.
func examineMachine(cfg config.Config, err error) doctor.Report {
	if err != nil {
		var report doctor.Report
		for line := range strings.Lines(err.Error()) {
			report.Findings = append(report.Findings, doctor.Finding{Check: "settings", Level: doctor.Problem, Text: strings.TrimSpace(line)})
		}
		return report
	}
	report := doctor.Machine{
		Root:           cfg.Root,
		MinFree:        int64(cfg.MinFree),
		MaxConnections: cfg.MaxConnections,
		MaxTransfers:   cfg.MaxTransfers,
		BufferMemory:   int64(cfg.BufferMemory),
	}.Examine()
	settings := doctor.Finding{Check: "settings", Level: doctor.OK, Text: "without a fault"}
	report.Findings = append([]doctor.Finding{settings}, report.Findings...)
	return report
}

// fieldLines are the fields that flags tell, those of files among them.
func fieldLines(flags []string) ([]string, error) {
	var lines []string
	for _, text := range flags {
		if path, isFile := strings.CutPrefix(text, "@"); isFile {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			text = string(content)
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if name, _, ok := strings.Cut(line, ":"); !ok || strings.TrimSpace(name) == "" {
				return nil, errors.New("--header has to be of the form Name: value")
			}
			lines = append(lines, line)
		}
	}
	return lines, nil
}
