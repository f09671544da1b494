package main

import (
	"regexp"
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	got := sluice(nil, "version")
	if got.code != 0 || !regexp.MustCompile(`^sluice \S+( \(\w+(, modified)?\))? go\S+ \w+/\w+\n$`).MatchString(got.stdout) {
		t.Errorf("exit code %d, stdout %q", got.code, got.stdout)
	}
}

func TestVersionOf(t *testing.T) {
	t.Parallel()
	installed := &debug.BuildInfo{Main: debug.Module{Version: "v1.0.0"}}
	inTree := &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}
	tests := []struct {
		name   string
		linked string
		info   *debug.BuildInfo
		want   string
	}{
		{"linked", "v2.0.0", installed, "v2.0.0"},
		{"installed", "", installed, "v1.0.0"},
		{"built in the tree", "", inTree, "devel"},
		{"no build information", "", nil, "devel"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := versionOf(test.linked, test.info); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestRevisionOf(t *testing.T) {
	t.Parallel()
	stamped := func(settings ...debug.BuildSetting) *debug.BuildInfo { return &debug.BuildInfo{Settings: settings} }
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "abc123"}
	tests := []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"clean", stamped(revision, debug.BuildSetting{Key: "vcs.modified", Value: "false"}), " (abc123)"},
		{"modified", stamped(revision, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), " (abc123, modified)"},
		{"not stamped", stamped(), ""},
		{"no build information", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := revisionOf(test.info); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
