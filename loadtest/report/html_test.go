package report_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// sweep is rows of a run whose repeats are at several points.
func sweep() *record.Run {
	rows := &record.Run{Headers: []*record.Header{{Version: record.Version, Title: `sweep of --chunk <b>"&amp;`}}}
	for i, label := range []string{"chunk=64KiB", "chunk=256KiB", "chunk=1MiB", "chunk=4MiB", "chunk=16MiB", "chunk=64MiB"} {
		for repeat := 1; repeat <= 3; repeat++ {
			mbps := 400 + 1500*(1-math.Exp(-float64(i)/2)) + 40*float64(repeat)
			for n := range 40 {
				wave := 1 + math.Sin(float64(n*7+i))/5
				rows.Transfers = append(rows.Transfers, &record.Transfer{
					Scenario: "tus", Direction: record.Up, Label: label, Repeat: repeat, Stream: n, Bytes: 1e8,
					Seconds: 100 / mbps / wave, FirstByte: 90 / mbps, Finish: 0.004 * wave, Checked: record.CheckedDigest,
				})
			}
			for n := range 6 {
				rows.Seconds = append(rows.Seconds, &record.Second{
					Label: label, Repeat: repeat, Second: n, Length: 1, Up: int64(1e6 * mbps * (1 + math.Sin(float64(n))/9)), InFlight: 4,
				})
				rows.Usages = append(rows.Usages, &record.Usage{Label: label, Repeat: repeat, At: float64(n), ServerRSS: 40e6 + int64(n+i)*1e6})
			}
			rows.Repeats = append(rows.Repeats, &record.Repeat{
				Label: label, Repeat: repeat, Seconds: 4000 / mbps, Bytes: 4e9, ServerCPUSeconds: 0.8 + 1/float64(i+1), TesterCPUSeconds: 0.7,
			})
		}
	}
	return rows
}

var (
	// reference is what makes a browser fetch something.
	reference = regexp.MustCompile(`(?i)<(script|link|img|image|iframe|object|embed|use|base)\b|\b(src|href|srcset|action|data)\s*=|@import|url\(`)
	address   = regexp.MustCompile(`https?:`)
)

// The page needs nothing from elsewhere, holds no markup of the plan's making, has
// charts, and none of them is empty.
func TestPageStandsAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rows   *record.Run
		charts []string
	}{
		"sweep":   {sweep(), []string{"MB/s along the sweep", "Rates of tus chunk=64KiB", "Latency percentiles", "Throughput over time", "Memory of the server"}},
		"run":     {exampleRun(), []string{"Throughput over time"}},
		"nothing": {&record.Run{Headers: []*record.Header{{}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			if err := report.Of(test.rows).WriteHTML(&b); err != nil {
				t.Fatal(err)
			}
			page := b.String()
			if found := reference.FindString(page); found != "" {
				t.Errorf("the page has %q", found)
			}
			title := regexp.QuoteMeta(test.rows.Headers[0].Title)
			if found := address.FindString(regexp.MustCompile(title).ReplaceAllString(page, "")); found != "" && name != "run" {
				t.Errorf("the page has an address: %q", found)
			}
			for _, chart := range test.charts {
				if !strings.Contains(page, "<figcaption>"+chart) {
					t.Errorf("the page has no chart %q", chart)
				}
			}
			drawings := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1)
			if len(drawings) < len(test.charts) {
				t.Errorf("%d drawings, want at least %d", len(drawings), len(test.charts))
			}
			for _, drawing := range drawings {
				if !strings.Contains(drawing, "var(--s1)") || strings.Contains(drawing, "NaN") || !wellFormed(drawing) {
					t.Errorf("drawing without a line, or malformed:\n%.600s", drawing)
				}
			}
			if strings.Contains(page, "#010101") || strings.Contains(page, "<b>") {
				t.Error("the page has colours of no scheme, or markup of the title's")
			}
		})
	}
}

func wellFormed(drawing string) bool {
	d := xml.NewDecoder(strings.NewReader(drawing))
	for {
		if _, err := d.Token(); err != nil {
			return err == io.EOF
		}
	}
}
