package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// A search for the highest rate tells what it found.
func TestHighestRate(t *testing.T) {
	t.Parallel()
	rows := &record.Run{}
	for _, rate := range []float64{10, 20, 40, 30} {
		ended := min(rate, 25)
		rows.Repeats = append(rows.Repeats, &record.Repeat{
			Label: fmt.Sprintf("rate=%g", rate), Repeat: 1, Seconds: 10, Rate: rate, Transfers: int(10 * ended), Bytes: int64(ended), Bounded: int(rate - ended),
		})
	}
	var b bytes.Buffer
	if err := report.Of(rows).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"the highest rate sustained: 20 transfers per second\n", "the lowest rate not sustained: 30 transfers per second\n", "25 of 40, 15 waited",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("there is no %q in\n%s", line, b.String())
		}
	}
}
