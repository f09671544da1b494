package report_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// repeated is a run of repeats at these rates.
func repeated(title string, mbps ...float64) *report.Report {
	rows := &record.Run{Headers: []*record.Header{{Title: title}}}
	for i, rate := range mbps {
		rows.Repeats = append(rows.Repeats, &record.Repeat{Repeat: i + 1, Seconds: 1000 / rate, Bytes: 1e9, ServerCPUSeconds: 0.2})
		rows.Transfers = append(rows.Transfers, &record.Transfer{Scenario: "put", Repeat: i + 1, Seconds: 1000 / rate, Bytes: 1e9})
	}
	return report.Of(rows)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		a, b    []float64
		ratio   float64
		bounded bool
		verdict string
	}{
		{"faster", []float64{200, 210, 205, 198, 207}, []float64{100, 104, 99, 102, 101}, 205.0 / 101, true, "A is higher"},
		{"slower", []float64{100, 104, 99, 102, 101}, []float64{200, 210, 205, 198, 207}, 101.0 / 205, true, "A is lower"},
		{"alike", []float64{100, 104, 99, 102, 101}, []float64{101, 103, 98, 104, 100}, 1, true, "no difference shown"},
		{"too few", []float64{200, 210, 205}, []float64{100, 104, 99}, 2.05, false, "too few: need >= 4"},
		{"one", []float64{200}, []float64{100}, 2, false, "too few: need >= 4"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, err := report.Compare(repeated("new", test.a...), repeated("old", test.b...))
			if err != nil {
				t.Fatal(err)
			}
			d := c.Differences[0]
			if math.Abs(d.Ratio-test.ratio) > 1e-9 || d.High > 0 != test.bounded || !strings.HasPrefix(d.Verdict, test.verdict) {
				t.Errorf("difference is %+v", d)
			}
			if test.bounded && (d.Low > d.Ratio || d.High < d.Ratio) {
				t.Errorf("the ratio is outside of its interval: %+v", d)
			}
			var b bytes.Buffer
			if err := c.WriteText(&b); err != nil || !strings.Contains(b.String(), "A  new\nB  old") || !strings.Contains(b.String(), "put latency, s") {
				t.Errorf("text is\n%s", b.String())
			}
		})
	}
}

// The intervals of 95 % must hold the true ratio about as often as they say.
func TestCompareIsRightAsOftenAsItSays(t *testing.T) {
	t.Parallel()
	lot := uint64(1)
	next := func() float64 {
		lot = lot*6364136223846793005 + 1442695040888963407
		return float64(lot>>11) / (1 << 53)
	}
	const rounds = 400
	held, found := 0, 0
	for range rounds {
		var a, b []float64
		for range 8 {
			a, b = append(a, 100*(1+next()/5)), append(b, 100*(1+next()/5))
		}
		c, err := report.Compare(repeated("a", a...), repeated("b", b...))
		if err != nil {
			t.Fatal(err)
		}
		if d := c.Differences[0]; d.Low <= 1 && d.High >= 1 {
			held++
		}
		if c.Differences[0].P <= 0.05 {
			found++
		}
	}
	if held < rounds*92/100 || found > rounds*8/100 {
		t.Errorf("of %d pairs of the same, %d intervals hold 1, and %d tests found a difference", rounds, held, found)
	}
}

func TestCompareOfComparisons(t *testing.T) {
	t.Parallel()
	r := report.New()
	for _, row := range many() {
		_ = r.Write(row)
	}
	if _, err := report.Compare(r, r); err == nil {
		t.Error("compared what has two sides already")
	}
}
