package loadtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"sluice/loadtest"
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
	comparison, err := loadtest.Versus(t.Context(), newVersus("form", url+"/files/", "put", url+"/files/"), nil)
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
	if len(pairs) != 2 || len(comparison.A.Repeats) != 3 {
		t.Fatalf("%d pairs from %d turns, want 2 from 3: the warm-up does not count", len(pairs), len(comparison.A.Repeats))
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
	comparison, err := loadtest.Versus(t.Context(), plan, nil)
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
	comparison, err := loadtest.Versus(t.Context(), newVersus("get", url+"/", "get", url+"/"), nil)
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
	comparison, err := loadtest.Versus(t.Context(), newVersus("put", good+"/", "put", bad), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := comparison.Err(); !errors.Is(err, loadtest.ErrFailed) || !strings.HasPrefix(err.Error(), "b: ") {
		t.Errorf("error is %v", err)
	}
	if s := comparison.Summary(); s.Ratio.Median != 0 || s.A.MBPerSecond.Median == 0 {
		t.Errorf("summary is %+v", s)
	}
}

func TestVersusReports(t *testing.T) {
	t.Parallel()
	row := func(pair, repeat int, seconds float64, bytes int64, cpu float64) loadtest.Repeat {
		return loadtest.Repeat{
			Pair: pair, Repeat: repeat, Seconds: seconds, Bytes: bytes,
			ServerCPUSeconds: cpu, TesterCPUSeconds: 0.2, ServerPeakRSS: 20e6,
		}
	}
	planA := loadtest.Plan{Scenario: "put", URL: "http://a/", Size: 1e9, Streams: 1}
	planB := loadtest.Plan{Scenario: "get", URL: "http://b/", Size: 1e9, Streams: 16, Cold: true}
	comparison := &loadtest.Comparison{
		Plan: loadtest.VersusPlan{A: planA, B: planB, Pairs: 2, Sustained: 2},
		A: &loadtest.Run{Plan: planA, Repeats: []loadtest.Repeat{
			row(0, 1, 9, 1e9, 9), row(0, 2, 9, 1e9, 9),
			row(1, 1, 0.5, 1e9, 0.2), row(1, 2, 0.5, 1e9, 0.2),
			row(2, 1, 0.25, 1e9, 0.2), row(2, 2, 0.75, 1e9, 0.2),
		}},
		B: &loadtest.Run{Plan: planB, Repeats: []loadtest.Repeat{
			row(0, 1, 9, 1e9, 9), row(0, 2, 9, 1e9, 9),
			row(1, 1, 1, 1e9, 0.4), row(1, 2, 1, 1e9, 0.4),
			row(2, 1, 2, 1e9, 0.4), row(2, 2, 2, 1e9, 0.4),
		}},
	}
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
			Ratio loadtest.Stats
			CPU   float64 `json:"server_cpu_ratio"`
		}
		A struct{ Repeats []loadtest.Repeat }
	}
	if err := json.Unmarshal(document.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Pairs) != 2 || got.Pairs[1].Ratio != 4 || got.Pairs[1].B.Total.Rate != 500 || got.Pairs[1].B.Rates[0] != 500 {
		t.Errorf("pairs are %+v", got.Pairs)
	}
	if got.Summary.Ratio != (loadtest.Stats{Median: 3, Min: 2, Max: 4}) || got.Summary.CPU != 0.5 {
		t.Errorf("summary is %+v", got.Summary)
	}
	if len(got.A.Repeats) != 6 {
		t.Errorf("%d raw rows", len(got.A.Repeats))
	}
}
