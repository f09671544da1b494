package payload_test

import (
	"encoding/json"
	"math"
	"testing"

	"sluice/loadtest/payload"
)

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text      string
		low, high int64   // that all draws keep to
		median    int64   // of many draws
		mean      float64 // as stated
	}{
		{"0", 0, 0, 0, 0},
		{"2GB", 2e9, 2e9, 2e9, 2e9},
		{"uniform:1KB-3KB", 1000, 3000, 2000, 2000},
		{"uniform:5-5", 5, 5, 5, 5},
		{"lognormal:64KB,1.5", 0, math.MaxInt64, 64_000, 64_000 * math.Exp(1.125)},
		{"lognormal:64KB,1.5,1MB", 0, 1e6, 64_000, 64_000 * math.Exp(1.125)},
		{"lognormal:1KB,0", 999, 1000, 1000, 1000},
		{"list:1KB=3,1MB", 1000, 1e6, 1000, 250_750},
		{"list:1MB,7,0=0.5", 0, 1e6, 7, 1_000_007 / 2.5},
	} {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			sizes, err := payload.ParseSizes(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := sizes.Mean(); math.Abs(got-test.mean) > test.mean*1e-9 {
				t.Errorf("mean is %v, want %v", got, test.mean)
			}
			source := payload.New(1, 0)
			const draws = 20_000
			below, sum := 0, 0.0
			for number := range uint64(draws) {
				size := sizes.Of(source.Draw(number, 0))
				if size < test.low || size > test.high || size > sizes.Max() {
					t.Fatalf("draw %d is %d bytes, which isn't from %d to %d", number, size, test.low, test.high)
				}
				if size <= test.median {
					below++
				}
				sum += float64(size)
			}
			if below < draws*48/100 {
				t.Errorf("%d of %d are at most %d bytes", below, draws, test.median)
			}
			if mean := sum / draws; test.high < math.MaxInt64 && math.Abs(mean-test.mean) > 0.25*test.mean {
				t.Errorf("mean of %d is %v, want about %v", draws, mean, test.mean)
			}
		})
	}
}

func TestSizesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "-1", "x", "10EB", "GB", "poisson:3", "uniform:", "uniform:5", "uniform:5-3", "uniform:a-b", "lognormal:5",
		"lognormal:5,x", "lognormal:5,-1", "lognormal:5,11", "lognormal:5,NaN", "lognormal:5,1,x", "lognormal:5,1,2,3",
		"list:", "list:5=0", "list:5=-1", "list:5=x", "list:5=Inf", "list:5=NaN", "list:5,,6",
	} {
		if sizes, err := payload.ParseSizes(text); err == nil {
			t.Errorf("%q is %v", text, sizes)
		}
	}
}

func TestSizeText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		size  int64
		again string
	}{
		{"0", 0, "0B"}, {"4294967297", 1<<32 + 1, "4294967297B"}, {"2GB", 2e9, "2GB"}, {"64MiB", 64 << 20, "64MiB"},
		{"600037000", 600037000, "600037kB"}, {"1.5 MB", 1.5e6, "1500kB"}, {"4096", 4096, "4KiB"},
	} {
		size, err := payload.ParseSize(test.text)
		if err != nil || size != test.size || payload.FormatSize(size) != test.again {
			t.Errorf("%q is %d, %q, %v", test.text, size, payload.FormatSize(size), err)
		}
	}
}

func TestSizesAsJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0B", "2GB", "list:4KiB=70,1MB=25"} {
		sizes, err := payload.ParseSizes(text)
		if err != nil {
			t.Fatal(err)
		}
		document, err := json.Marshal(sizes)
		if err != nil {
			t.Fatal(err)
		}
		var again payload.Sizes
		if err := json.Unmarshal(document, &again); err != nil || again.String() != text || again.Of(0.9) != sizes.Of(0.9) {
			t.Errorf("%s is %s, %v", text, again, err)
		}
	}
}

// FuzzSizes holds that whatever is taken for a distribution keeps to its bounds
// and is read again as the same.
func FuzzSizes(f *testing.F) {
	for _, text := range []string{"2GB", "uniform:1KB-64MB", "lognormal:64KB,1.5,1GB", "list:4KB=70,1MB=25,1GB"} {
		f.Add(text, 0.5)
	}
	f.Fuzz(func(t *testing.T, text string, draw float64) {
		sizes, err := payload.ParseSizes(text)
		if err != nil || !(draw >= 0 && draw < 1) {
			return
		}
		if size := sizes.Of(draw); size < 0 || size > sizes.Max() {
			t.Errorf("%q: draw %v is %d bytes", text, draw, size)
		}
		again, err := payload.ParseSizes(sizes.String())
		if err != nil || again.Of(draw) != sizes.Of(draw) {
			t.Errorf("%q: read again as %v, %v", text, again, err)
		}
	})
}
