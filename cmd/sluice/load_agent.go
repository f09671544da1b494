package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"sluice/loadtest/agent"
)

// newLoadAgentCommand returns the command that waits for work of a load test.
func newLoadAgentCommand() *cobra.Command {
	var address, secretFile string
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Do the work of load tests that are started elsewhere",
		Long: `Wait for load tests that are started elsewhere with --agents, and do their work, one at a time,
until it is interrupted. Whoever can connect and knows the secret has it send load wherever they like:
it listens on loopback unless told otherwise, and on other addresses only with a secret.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			secret, err := readSecret(secretFile)
			if err != nil {
				return loadUsageError{err}
			}
			listener, err := agent.Listen(address, secret)
			if err != nil {
				return fmt.Errorf("agent: %w", err)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			tell := func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...) }
			tell("agent listens on %s", listener.Addr())
			return agent.Serve(ctx, listener, secret, tell)
		},
	}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:7780", "`address` on which work is waited for")
	cmd.Flags().StringVar(&secretFile, "secret-file", "", secretUsage)
	return cmd
}

const secretUsage = "`file` with the secret that agents and those who give them work share, of 16 bytes at least"

// readSecret reads the secret without the white space around it; none if there is
// no file.
func readSecret(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}
	secret := bytes.TrimSpace(content)
	if len(secret) == 0 {
		return nil, errors.New("secret: " + file + " is empty")
	}
	return secret, agent.CheckSecret(secret)
}
