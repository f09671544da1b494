package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// newLoadCompareCommand returns the command that compares two runs.
func newLoadCompareCommand() *cobra.Command {
	var jsonFile string
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two runs by their records",
		Long: `Compare two runs by the records that --records has left: the ratios of the medians, A to B,
the interval that holds them with a confidence of 95 %, and the probability of so great a
difference by chance (Mann-Whitney U test). Too few repeats for a verdict are told.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, files []string) error {
			a, err := readReport(files[0])
			if err != nil {
				return err
			}
			b, err := readReport(files[1])
			if err != nil {
				return err
			}
			compared, err := report.Compare(a, b)
			if err != nil {
				return err
			}
			if jsonFile == "-" {
				return compared.WriteJSON(cmd.OutOrStdout())
			}
			if err := compared.WriteText(cmd.OutOrStdout()); err != nil || jsonFile == "" {
				return err
			}
			file, err := os.Create(jsonFile)
			if err != nil {
				return fmt.Errorf("write comparison: %w", err)
			}
			return errors.Join(compared.WriteJSON(file), file.Close())
		},
	}
	cmd.Flags().StringVar(&jsonFile, "json", "", "write the comparison as JSON to this `file`, - for standard output in place of the table")
	return cmd
}

func readReport(file string) (*report.Report, error) {
	r := report.New()
	return r, record.ReadFile(file, r)
}
