package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set when the program is linked: -ldflags "-X main.version=v1.2.3".
var version string

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "sluice %s%s %s %s/%s\n",
				versionOf(version, info), revisionOf(info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// buildVersion is the version of the running program.
func buildVersion() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(version, info)
}

// versionOf is the version set by the linker, else the one that the go command derived; info may be nil.
func versionOf(linked string, info *debug.BuildInfo) string {
	built := ""
	if info != nil && info.Main.Version != "(devel)" {
		built = info.Main.Version
	}
	return cmp.Or(linked, built, "devel")
}

// revisionOf is the revision that the program was built from, in brackets, or empty where it is not known.
func revisionOf(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	stamps := map[string]string{}
	for _, setting := range info.Settings {
		stamps[setting.Key] = setting.Value
	}
	revision := stamps["vcs.revision"]
	if revision == "" {
		return ""
	}
	if stamps["vcs.modified"] == "true" {
		revision += ", modified"
	}
	return " (" + revision + ")"
}
