package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newManCommand returns the command `man`, by which packages are made.
func newManCommand() *cobra.Command {
	var date string
	cmd := &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write a manual page for each command",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			when, err := time.Parse(time.DateOnly, date)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // it would tell today's date
			header := &doc.GenManHeader{Section: "1", Date: &when, Source: "sluice " + buildVersion(), Manual: "sluice"}
			return doc.GenManTree(root, header, args[0])
		},
	}
	cmd.Flags().StringVar(&date, "date", time.Now().UTC().Format(time.DateOnly), "`day` that the pages are of")
	return cmd
}
