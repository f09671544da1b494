package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"sluice/config"
)

func newConfigCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the settings in effect, as a file that --config takes",
		Long: "Print the settings that serve would have with the same file, environment and flags, as a file that\n" +
			"--config takes. A comment tells where each one that is not a default came from.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(cmd.Flags(), environ)
			if err != nil {
				return err
			}
			return writeSettings(cmd.OutOrStdout(), cfg)
		},
	}
	config.Flags(cmd.Flags())
	return cmd
}

// writeSettings writes YAML that, read back, gives the same settings.
func writeSettings(w io.Writer, cfg config.Config) error {
	settings := &yaml.Node{Kind: yaml.MappingNode}
	for _, entry := range cfg.Entries() {
		var key, value yaml.Node
		key.SetString(entry.Key)
		if err := value.Encode(entry.Value); err != nil {
			return fmt.Errorf("write %s: %w", entry.Key, err)
		}
		if entry.Source != config.FromDefault {
			value.LineComment = entry.Source
		}
		settings.Content = append(settings.Content, &key, &value)
	}
	encoder := yaml.NewEncoder(w)
	if err := encoder.Encode(settings); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return encoder.Close()
}
