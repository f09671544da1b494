package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sluice/config"
	"sluice/internal/auth"
)

func newTokenCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Keep the file of tokens that clients show",
		Long: "Keep the file of tokens that clients show. It is the one of the setting token-file, in the same file,\n" +
			"environment or flag as serve has it. A running server sees a change within a second.",
	}
	cmd.AddCommand(newTokenAddCommand(environ), newTokenListCommand(environ), newTokenRevokeCommand(environ))
	return cmd
}

// tokenFile is the file that the settings name.
func tokenFile(cmd *cobra.Command, environ []string) (string, error) {
	cfg, err := config.Load(cmd.Flags(), environ)
	if err != nil {
		return "", err
	}
	if cfg.TokenFile == "" {
		return "", errors.New("which file? set token-file, in --config, SLUICE_TOKEN_FILE or --token-file")
	}
	return cfg.TokenFile, nil
}

// settingFlags adds those flags of settings that the command reads, and --config.
func settingFlags(cmd *cobra.Command, keys ...string) {
	all := new(pflag.FlagSet)
	config.Flags(all)
	for _, key := range append(keys, "config") {
		cmd.Flags().AddFlag(all.Lookup(key))
	}
}

func newTokenAddCommand(environ []string) *cobra.Command {
	var (
		scopes        []string
		prefix        string
		maxSize, rate byteSize
		expires       time.Duration
	)
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Make a token and print it: this once, for only its hash is kept",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := tokenFile(cmd, environ)
			if err != nil {
				return err
			}
			secret, hash := auth.NewSecret()
			t := auth.Token{Name: args[0], Hash: hash, MaxSize: int64(maxSize), Rate: int64(rate), Created: time.Now().UTC().Truncate(time.Second)}
			if t.Scopes, err = auth.ParseScopes(scopes); err != nil {
				return err
			}
			t.Prefix = strings.Trim(prefix, "/")
			if expires > 0 {
				t.Expires = t.Created.Add(expires)
			}
			if err := auth.AddToken(path, t); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), secret)
			return err
		},
	}
	settingFlags(cmd, "token-file")
	cmd.Flags().StringSliceVar(&scopes, "scopes", []string{"read", "write", "list"}, "what it allows: read, write, delete, list, admin")
	cmd.Flags().StringVar(&prefix, "prefix", "", "folder that everything has to be in; empty is the root")
	cmd.Flags().Var(&maxSize, "max-size", "largest file, such as 5GiB; 0 is no limit of its own")
	cmd.Flags().Var(&rate, "rate", "bytes per second of all its transfers together, such as 10MiB; 0 is no limit of its own")
	cmd.Flags().DurationVar(&expires, "expires-in", 0, "time until it ends, such as 720h; 0 is never")
	return cmd
}

func newTokenListCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tokens: whose they are and what they allow",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := tokenFile(cmd, environ)
			if err != nil {
				return err
			}
			tokens, err := auth.ReadTokens(path)
			if err != nil {
				return err
			}
			return writeTokens(cmd.OutOrStdout(), tokens, time.Now())
		},
	}
	settingFlags(cmd, "token-file")
	return cmd
}

// writeTokens writes a table.
func writeTokens(w io.Writer, tokens []auth.Token, now time.Time) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSCOPES\tPREFIX\tMAX SIZE\tRATE\tEXPIRES")
	for _, t := range tokens {
		expires := "never"
		switch {
		case t.Expires.IsZero():
		case !now.Before(t.Expires):
			expires = "has expired"
		default:
			expires = t.Expires.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(table, "%s\t%s\t/%s\t%s\t%s\t%s\n", t.Name, t.Scopes, t.Prefix, limitText(t.MaxSize), limitText(t.Rate), expires)
	}
	return table.Flush()
}

func limitText(n int64) string {
	if n == 0 {
		return "-"
	}
	return config.Size(n).String()
}

func newTokenRevokeCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "revoke NAME",
		Short: "Take a token off the file, which ends it, its sessions and its links",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := tokenFile(cmd, environ)
			if err != nil {
				return err
			}
			return auth.RevokeToken(path, args[0])
		},
	}
	settingFlags(cmd, "token-file")
	return cmd
}
