package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

func TestComparisonReports(t *testing.T) {
	t.Parallel()
	rows := &record.Run{Headers: []*record.Header{
		{Origin: record.Origin{Side: "a"}, Title: "put http://a/: 1.0 GB x 1 stream"},
		{Origin: record.Origin{Side: "b"}, Title: "get http://b/: 1.0 GB x 16 streams, cold"},
	}}
	row := func(side string, pair, repeat int, seconds, cpu float64) {
		rows.Repeats = append(rows.Repeats, &record.Repeat{
			Origin: record.Origin{Side: side},
			Pair:   pair, Repeat: repeat, Seconds: seconds, Bytes: 1e9,
			ServerCPUSeconds: cpu, TesterCPUSeconds: 0.2, ServerPeakRSS: 20e6,
		})
	}
	row("a", 0, 1, 9, 9)
	row("a", 0, 2, 9, 9)
	row("b", 0, 1, 9, 9)
	row("b", 0, 2, 9, 9)
	row("a", 1, 1, 0.5, 0.2)
	row("a", 1, 2, 0.5, 0.2)
	row("b", 1, 1, 1, 0.4)
	row("b", 1, 2, 1, 0.4)
	row("a", 2, 1, 0.25, 0.2)
	row("a", 2, 2, 0.75, 0.2)
	row("b", 2, 1, 2, 0.4)
	row("b", 2, 2, 2, 0.4)
	comparison := report.Of(rows)
	var text bytes.Buffer
	if err := comparison.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "versus.txt", text.Bytes())

	var document bytes.Buffer
	if err := comparison.WriteJSON(&document); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Pairs []struct {
			Ratio float64
			B     struct {
				Total struct {
					Rate float64 `json:"mb_per_second"`
				}
				Rates []float64 `json:"mb_per_second"`
			}
		}
		Summary struct {
			Ratio report.Stats
			CPU   float64 `json:"server_cpu_ratio"`
		}
		A struct{ Repeats []record.Repeat }
	}
	if err := json.Unmarshal(document.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Pairs) != 2 || got.Pairs[1].Ratio != 4 || got.Pairs[1].B.Total.Rate != 500 || got.Pairs[1].B.Rates[0] != 500 {
		t.Errorf("pairs are %+v", got.Pairs)
	}
	if got.Summary.Ratio != (report.Stats{N: 2, Median: 3, Min: 2, Max: 4, Mean: 3, StdDev: math.Sqrt2}) || got.Summary.CPU != 0.5 {
		t.Errorf("summary is %+v", got.Summary)
	}
	if len(got.A.Repeats) != 6 {
		t.Errorf("%d raw rows", len(got.A.Repeats))
	}
}
