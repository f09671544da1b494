package config_test

import (
	"testing"

	"sluice/config"
)

func TestDurability(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]config.Durability{
		"none": {}, "commit": {Sync: true}, "every=64MiB": {Sync: true, Every: 64 << 20}, "every=1MiB": {Sync: true, Every: 1 << 20},
	} {
		var d config.Durability
		if err := d.UnmarshalText([]byte(text)); err != nil || d != want || d.String() != text {
			t.Errorf("%q is read as %+v, %v, and written as %q", text, d, err, d)
		}
	}
	for _, text := range []string{"", "Commit", "every", "every=", "every=0", "every=1KiB", "every=x", "always"} {
		d := config.Durability{Sync: true, Every: 5}
		if err := d.UnmarshalText([]byte(text)); err == nil || d.Every != 5 {
			t.Errorf("%q is read as %+v, %v", text, d, err)
		}
	}
}
