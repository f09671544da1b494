package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/config"
	"sluice/internal/auth"
)

func newSignCommand(environ []string) *cobra.Command {
	var (
		l       auth.Link
		upload  bool
		expires time.Duration
		maxSize byteSize
	)
	cmd := &cobra.Command{
		Use:   "sign PATH",
		Short: "Make a link that lets whoever has it get or send files",
		Long: "Make a link that lets whoever has it get or send files, with the key of the setting link-key-file. It prints\n" +
			"the path and query of the URL. A PATH with a slash at its end is a folder, and all below it.",
		Example: "  sluice sign films/film.mkv --expires-in 48h --max-uses 3\n" +
			"  sluice sign inbox/ --upload --max-size 2GiB --expires-in 168h",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := config.Load(cmd.Flags(), environ)
			if err != nil {
				return err
			}
			if cfg.LinkKeyFile == "" {
				return errors.New("which keys? set link-key-file, in --config, SLUICE_LINK_KEY_FILE or --link-key-file")
			}
			keys, err := auth.ReadKeys(cfg.LinkKeyFile)
			if err != nil {
				return err
			}
			if upload {
				l.Methods = []string{"PUT", "POST"}
			}
			now := time.Now()
			l.Path, l.Folder = strings.Trim(args[0], "/"), strings.HasSuffix(args[0], "/")
			l.Expires, l.MaxSize = now.Add(expires).Unix(), int64(maxSize)
			_, text, err := keys.Sign(l, now)
			if err != nil {
				return err
			}
			target := url.URL{Path: strings.TrimSuffix(cfg.BasePath, "/") + "/files/" + l.Path, RawQuery: "link=" + text}
			if l.Folder && l.Path != "" {
				target.Path += "/"
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), target.String())
			return err
		},
	}
	settingFlags(cmd, "link-key-file", "base-path")
	cmd.Flags().StringSliceVar(&l.Methods, "methods", []string{"GET"}, "what it allows: GET, PUT, POST (forms and tus), DELETE")
	cmd.Flags().BoolVar(&upload, "upload", false, "short for --methods PUT,POST: sending and nothing else")
	cmd.Flags().DurationVar(&expires, "expires-in", 24*time.Hour, "time until it ends, at most 8784h")
	cmd.Flags().Var(&maxSize, "max-size", "largest upload, such as 2GiB; 0 is no limit of its own")
	cmd.Flags().IntVar(&l.MaxUses, "max-uses", 0, "files that may be sent, either way; 0 is any number")
	return cmd
}
