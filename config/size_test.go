package config_test

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"testing/quick"

	"github.com/spf13/pflag"

	"sluice/config"
)

var _ pflag.Value = (*config.Size)(nil)

func TestParseSize(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want config.Size
	}{
		{"0", 0},
		{"0MiB", 0},
		{"1", 1},
		{"512B", 512},
		{"4MiB", 4 << 20},
		{"4mib", 4 << 20},
		{"4 MiB", 4 << 20},
		{"2GB", 2_000_000_000},
		{"2g", 2_000_000_000},
		{"2gi", 2 << 30},
		{"1.5KiB", 1536},
		{"4194305", 4194305},
		{"9007199254740993", 1<<53 + 1},
		{"9007199254740993kB", 9_007_199_254_740_993_000},
		{"9223372036854775807", math.MaxInt64},
		{"7EiB", 7 << 60},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			got, err := config.ParseSize(test.text)
			if err != nil || got != test.want {
				t.Errorf("ParseSize(%q) = %d, %v; want %d", test.text, got, err, test.want)
			}
		})
	}
}

func TestParseSizeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, reason string }{
		{"nothing", "", "must be a size"},
		{"a space", " ", "must be a size"},
		{"no digits", "MiB", "must be a size"},
		{"a word", "big", "must be a size"},
		{"an unknown unit", "4XiB", "must be a size"},
		{"two units", "4MiBMiB", "must be a size"},
		{"negative", "-1", "must be a size"},
		{"negative with a unit", "-4MiB", "must be a size"},
		{"a plus", "+4", "must be a size"},
		{"hexadecimal", "0x10", "must be a size"},
		{"an exponent", "1e3", "must be a size"},
		{"two points", "1.2.3MiB", "must be a size"},
		{"a fraction", "1/2", "must be a size"},
		{"not a number", "NaN", "must be a size"},
		{"infinity", "Inf", "must be a size"},
		{"digits of another script", "٤MiB", "must be a size"},
		{"a decimal comma", "1,5GB", "without commas"},
		{"a grouping comma", "4,194,304", "without commas"},
		{"less than a byte", "0.5B", "at least one byte"},
		{"2^63", "9223372036854775808", "less than 8EiB"},
		{"8 EiB", "8EiB", "less than 8EiB"},
		{"more than 2^64", "1000000EB", "less than 8EiB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			size := config.Size(7)
			err := size.Set(test.text)
			if err == nil || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("Set(%q) = %v, want a reason with %q", test.text, err, test.reason)
			}
			if size != 7 {
				t.Errorf("Set(%q) left %d, want the old value", test.text, size)
			}
		})
	}
}

func TestSizeString(t *testing.T) {
	t.Parallel()
	tests := map[config.Size]string{
		0:                 "0",
		1:                 "1",
		999:               "999",
		1000:              "1kB",
		1024:              "1KiB",
		1536:              "1536",
		65536:             "64KiB",
		4 << 20:           "4MiB",
		4194305:           "4194305",
		2_000_000_000:     "2GB",
		3 * config.GiB:    "3GiB",
		1024 * config.GiB: "1TiB",
		math.MaxInt64:     "9223372036854775807",
	}
	for size, want := range tests {
		if got := size.String(); got != want {
			t.Errorf("Size(%d) prints %q, want %q", int64(size), got, want)
		}
	}
}

func TestSizeRoundTrip(t *testing.T) {
	t.Parallel()
	units := []config.Size{1, 1e3, 1e6, 1e9, 1e12, config.KiB, config.MiB, config.GiB, 1 << 40}
	roundTrips := func(random int64, pick uint8) bool {
		unit := units[int(pick)%len(units)]
		size := config.Size(random&math.MaxInt64) / unit * unit
		text, err := size.MarshalText()
		var back config.Size
		return err == nil && back.UnmarshalText(text) == nil && back == size
	}
	if err := quick.Check(roundTrips, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

// FuzzSizeOfUnits checks numbers with units against whole-number arithmetic without bounds.
func FuzzSizeOfUnits(f *testing.F) {
	f.Add(uint64(4), uint8(8))
	f.Add(uint64(math.MaxInt64), uint8(0))
	f.Add(uint64(math.MaxUint64), uint8(12))
	f.Add(uint64(8), uint8(12))
	f.Add(uint64(9007199254740993), uint8(1))
	units := []struct {
		name  string
		bytes int64
	}{
		{"", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"PB", 1e15}, {"EB", 1e18},
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"PiB", 1 << 50}, {"EiB", 1 << 60},
	}
	f.Fuzz(func(t *testing.T, n uint64, which uint8) {
		unit := units[int(which)%len(units)]
		want := new(big.Int).SetUint64(n)
		want.Mul(want, big.NewInt(unit.bytes))
		text := strconv.FormatUint(n, 10) + unit.name
		got, err := config.ParseSize(text)
		if fits := want.IsInt64(); fits != (err == nil) || fits && int64(got) != want.Int64() {
			t.Errorf("ParseSize(%q) = %d, %v; want %s", text, got, err, want)
		}
	})
}

// FuzzSize checks that whatever parses is a size in range whose text means the same size.
func FuzzSize(f *testing.F) {
	for _, seed := range []string{"0", "4MiB", "2GB", "1.5 kB", "4194305", "9223372036854775807", "8EiB", "-1", "1,5GB", "٤MiB", "1e3", "0.5B"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size, err := config.ParseSize(text)
		if err != nil {
			return
		}
		if size < 0 {
			t.Fatalf("ParseSize(%q) = %d", text, size)
		}
		back, err := config.ParseSize(size.String())
		if err != nil || back != size {
			t.Fatalf("ParseSize(%q) = %d, prints %q, which parses as %d, %v", text, size, size, back, err)
		}
	})
}
