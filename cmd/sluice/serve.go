package main

import (
	"context"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"sluice/config"
	"sluice/server"
)

func newServeCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server until SIGINT or SIGTERM",
		Long: "Run the server until SIGINT or SIGTERM. Running transfers may then finish within the shutdown grace;\n" +
			"a second signal ends them at once.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(cmd.Flags(), environ)
			if err != nil {
				return err
			}
			log, err := newLogger(cfg, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			// From the first signal on, the next one has its usual effect: it ends the process.
			context.AfterFunc(ctx, stop)
			return server.Run(ctx, cfg, log, buildVersion())
		},
	}
	config.Flags(cmd.Flags())
	return cmd
}
