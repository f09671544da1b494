package config_test

import (
	"reflect"
	"slices"
	"testing"

	"sluice/config"
)

// A reload takes over what may change, names what may not, and leaves both of its sides as they were.
func TestReload(t *testing.T) {
	t.Parallel()
	before, err := load(t, "", nil, "--max-transfers=7", "--root=/before")
	if err != nil {
		t.Fatal(err)
	}
	after, err := load(t, "max-transfers: 8\nquota: 1TB\nroot: /after\ncors-origins: https://app.example\n", nil, "--config=FILE", "--log-level=debug")
	if err != nil {
		t.Fatal(err)
	}
	merged, change := before.Reload(after)
	want := config.Change{Applied: []string{"max-transfers", "quota", "log-level"}, Restart: []string{"root", "cors-origins"}}
	for _, keys := range [][]string{change.Applied, change.Restart, want.Applied, want.Restart} {
		slices.Sort(keys)
	}
	if !reflect.DeepEqual(change, want) {
		t.Errorf("changed %+v, want %+v", change, want)
	}
	if merged.MaxTransfers != 8 || merged.Quota != 1e12 || merged.LogLevel != "debug" || merged.Root != "/before" || len(merged.CORSOrigins) != 0 {
		t.Errorf("in effect: %+v", merged)
	}
	if before.MaxTransfers != 7 || after.Root != "/after" {
		t.Error("a side of the reload has changed")
	}
	for _, entry := range merged.Entries() {
		if entry.Key == "log-level" && entry.Source != "flag --log-level" || entry.Key == "root" && entry.Source != "flag --root" {
			t.Errorf("%s comes from %q", entry.Key, entry.Source)
		}
	}
	if _, none := merged.Reload(merged); len(none.Applied)+len(none.Restart) > 0 {
		t.Errorf("a reload of the same changed %+v", none)
	}
}
