package main

import (
	"context"
	"os"
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
			"a second signal ends them at once. SIGHUP reads the settings anew: those that may change while the\n" +
			"server runs take effect, or none if one is wrong.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			load := func() (config.Config, error) { return config.Load(cmd.Flags(), environ) }
			cfg, err := load()
			if err != nil {
				return err
			}
			log, level, err := newLogger(cfg, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			hangups := make(chan os.Signal, 1)
			signal.Notify(hangups, syscall.SIGHUP)
			defer signal.Stop(hangups)
			signalled, release := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer release()
			// Once the server says that it stops, the next signal has its usual effect: it
			// ends the process.
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			context.AfterFunc(signalled, func() {
				release()
				stop()
			})
			return server.Run(ctx, server.Options{
				Config: cfg, Load: load, Hangups: hangups, Log: log, Level: level, Version: buildVersion(),
			})
		},
	}
	config.Flags(cmd.Flags())
	return cmd
}
