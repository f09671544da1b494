package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sluice/internal/top"
)

func newTopCommand() *cobra.Command {
	var address, tokenFile string
	var once bool
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch the transfers of a server while they run",
		Long: `Show the running transfers of a server, each with its rate, progress and the time that is left, and stop the one
that x is pressed on. Where the output is no terminal, or with --once, print them as a table and end.

The operators' listener shows all of them, the public one what the token may see.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := newTopClient(address, tokenFile)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if out, isFile := cmd.OutOrStdout().(*os.File); !once && isFile && term.IsTerminal(out.Fd()) {
				return top.Run(ctx, client, cmd.InOrStdin(), out)
			}
			return printTransfers(ctx, cmd, client)
		},
	}
	cmd.Flags().StringVar(&address, "url", "http://127.0.0.1:9180", "where the server's paths begin, on either listener")
	cmd.Flags().StringVar(&tokenFile, "token-file", "", "file with the token to show")
	cmd.Flags().BoolVar(&once, "once", false, "print a table once")
	return cmd
}

func printTransfers(ctx context.Context, cmd *cobra.Command, client top.Client) error {
	list, err := client.List(ctx)
	if err != nil {
		return err
	}
	return top.WriteTable(cmd.OutOrStdout(), list)
}

func newTopClient(address, tokenFile string) (top.Client, error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return top.Client{}, errors.New("--url must be a URL of http or https")
	}
	client := top.Client{URL: base}
	if tokenFile != "" {
		text, err := os.ReadFile(tokenFile)
		if err != nil {
			return top.Client{}, fmt.Errorf("read token: %w", err)
		}
		client.Token = strings.TrimSpace(string(text))
	}
	return client, nil
}
