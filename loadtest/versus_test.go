package loadtest_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sluice/loadtest"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

func newVersus(scenarioA, urlA, scenarioB, urlB string) loadtest.VersusPlan {
	return loadtest.VersusPlan{
		A:         newPlan(scenarioA, urlA),
		B:         newPlan(scenarioB, urlB),
		Pairs:     2,
		WarmUp:    1,
		Sustained: 1,
	}
}

func TestVersusAlternates(t *testing.T) {
	t.Parallel()
	s, url := newStore(t)
	rows := &record.Run{}
	err := loadtest.Versus(t.Context(), newVersus("form", url+"/files/", "put", url+"/files/"), rows, nil)
	comparison := report.NewComparison(rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := comparison.Err(); err != nil {
		t.Error(err)
	}
	var uploads []string
	for _, r := range s.requests {
		if method, _, _ := strings.Cut(r, " "); method != "DELETE" {
			uploads = append(uploads, method)
		}
	}
	if want := []string{"POST", "PUT", "POST", "PUT", "POST", "PUT"}; !slices.Equal(uploads, want) {
		t.Errorf("uploads %v, want %v", uploads, want)
	}
	if files, _, _ := s.state(); files != 0 {
		t.Errorf("%d files are left", files)
	}
	pairs := comparison.Pairs()
	if len(pairs) != 2 || len(rows.Repeats) != 6 {
		t.Fatalf("%d pairs from %d turns, want 2 from 6: the warm-up does not count", len(pairs), len(rows.Repeats))
	}
	if pairs[1].Number != 2 || pairs[1].A.Total.Bytes != size || pairs[1].B.Total.Bytes != size {
		t.Errorf("second pair is %+v", pairs[1])
	}
}

func TestVersusSustained(t *testing.T) {
	t.Parallel()
	s, url := newStore(t)
	plan := newVersus("put", url+"/files/", "tus", url+"/tus/")
	plan.Sustained, plan.WarmUp = 3, 0
	rows := &record.Run{}
	err := loadtest.Versus(t.Context(), plan, rows, nil)
	comparison := report.NewComparison(rows)
	if err != nil {
		t.Fatal(err)
	}
	var methods []string
	for _, r := range s.requests[:9] {
		method, _, _ := strings.Cut(r, " ")
		methods = append(methods, method)
	}
	// All three files are there before the first one goes.
	want := []string{"PUT", "PUT", "PUT", "DELETE", "DELETE", "DELETE", "POST", "PATCH", "POST"}
	if !slices.Equal(methods, want) {
		t.Errorf("requests %v, want %v", methods, want)
	}
	turn := comparison.Pairs()[1].B
	if len(turn.Rates) != 3 || turn.Total.Bytes != 3*size {
		t.Errorf("%d rates, %d bytes", len(turn.Rates), turn.Total.Bytes)
	}
}

// TestVersusOfGet prepares the files of both sides, once, in one folder.
func TestVersusOfGet(t *testing.T) {
	t.Parallel()
	s, url := newStore(t)
	rows := &record.Run{}
	err := loadtest.Versus(t.Context(), newVersus("get", url+"/", "get", url+"/"), rows, nil)
	comparison := report.NewComparison(rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := comparison.Err(); err != nil {
		t.Error(err)
	}
	files, _, received := s.state()
	if files != 0 || received != 2*size {
		t.Errorf("%d files are left of %d bytes received", files, received)
	}
}

func TestVersusFailures(t *testing.T) {
	t.Parallel()
	_, good := newStore(t)
	bad := startRaw(t, func(x exchange) bool {
		x.drain()
		x.reply("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
		return true
	})
	rows := &record.Run{}
	err := loadtest.Versus(t.Context(), newVersus("put", good+"/", "put", bad), rows, nil)
	comparison := report.NewComparison(rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := comparison.Err(); !errors.Is(err, report.ErrFailed) || !strings.HasPrefix(err.Error(), "b: ") {
		t.Errorf("error is %v", err)
	}
	if s := comparison.Summary(); s.Ratio.Median != 0 || s.A.MBPerSecond.Median == 0 {
		t.Errorf("summary is %+v", s)
	}
}
