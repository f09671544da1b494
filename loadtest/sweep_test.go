package loadtest_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sluice/loadtest"
	"sluice/loadtest/payload"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		variable string
		values   []string
		budget   int64
		rows     []int   // of each value
		bytes    []int64 // of each row
	}{
		{variable: "size", values: []string{"10", "2kB"}, rows: []int{2, 2}, bytes: []int64{10, 2000}},
		{variable: "size", values: []string{"10", "100", "1kB"}, budget: 1000, rows: []int{200, 20, 6}, bytes: []int64{10, 100, 1000}},
		{variable: "streams", values: []string{"1", "3"}, rows: []int{2, 6}, bytes: []int64{500, 500}},
		{variable: "files", values: []string{"2", "1"}, rows: []int{4, 2}, bytes: []int64{500, 500}},
		{variable: "rate", values: []string{"1000"}, rows: []int{2}, bytes: []int64{500}},
	} {
		t.Run(fmt.Sprint(test.variable, test.budget), func(t *testing.T) {
			t.Parallel()
			s, url := newStore(t)
			plan := newPlan("put", url+"/files/")
			plan.Size, plan.Keep = payload.Fixed(500), true
			rows := &record.Run{}
			err := loadtest.Sweep(t.Context(), loadtest.SweepPlan{
				Plan: plan, Variable: test.variable, Values: test.values, Repeats: 2, Budget: test.budget,
			}, rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			total := 0
			for i, value := range test.values {
				count := 0
				for _, row := range rows.Transfers {
					if row.Label == test.variable+"="+value {
						count++
						if row.Bytes != test.bytes[i] {
							t.Errorf("%s: %d bytes", row.Label, row.Bytes)
						}
					}
				}
				if count != test.rows[i] {
					t.Errorf("%s=%s: %d transfers, want %d", test.variable, value, count, test.rows[i])
				}
				total += count
			}
			if files, _, _ := s.state(); files != total {
				t.Errorf("%d files for %d transfers", files, total)
			}
			points := report.NewRun(rows).Points()
			if len(points) != len(test.values) || len(rows.Headers) != 1 {
				t.Errorf("points are %v, %d headers", points, len(rows.Headers))
			}
		})
	}
}

// TestSweepStartsServers runs a server of its own for each value, which keeps what it is
// asked for in its folder until it ends.
func TestSweepStartsServers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	plan := loadtest.SweepPlan{
		Plan: newPlan("put", "http://{listen}/"), Variable: "word", Values: []string{"one", "two"}, Repeats: 1,
		Server: &loadtest.Launch{
			Command: []string{"env", wordVariable + "={value}", os.Args[0], "{listen}", "{root}"},
			Folder:  folder, Output: os.Stderr,
		},
	}
	rows := &record.Run{}
	if err := loadtest.Sweep(t.Context(), plan, rows, nil); err != nil {
		t.Fatal(err)
	}
	if err := report.NewRun(rows).Err(); err != nil || len(rows.Transfers) != 2 || rows.Transfers[1].Label != "word=two" {
		t.Errorf("%v, %d transfers", err, len(rows.Transfers))
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	for _, command := range [][]string{{filepath.Join(folder, "missing")}, {"false"}} {
		plan.Server.Command = command
		if err := loadtest.Sweep(t.Context(), plan, &record.Run{}, nil); err == nil {
			t.Errorf("%v has served", command)
		}
	}
}

// serveWord is the server of TestSweepStartsServers: it takes what is put if the
// word in its environment is right.
func serveWord(word string) error {
	listen, root := os.Args[1], os.Args[2]
	return http.ListenAndServe(listen, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, readErr := io.Copy(io.Discard, r.Body) // an answer before the end would be an error
		err := os.WriteFile(filepath.Join(root, word), nil, 0o600)
		if readErr != nil || err != nil || word != "one" && word != "two" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
}

func TestSweepOfNothing(t *testing.T) {
	t.Parallel()
	valid := loadtest.SweepPlan{Plan: newPlan("put", "http://h/"), Variable: "streams", Values: []string{"1"}, Repeats: 1}
	if err := valid.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*loadtest.SweepPlan){
		"no values":          func(p *loadtest.SweepPlan) { p.Values = nil },
		"no repeats":         func(p *loadtest.SweepPlan) { p.Repeats = 0 },
		"no number":          func(p *loadtest.SweepPlan) { p.Values = []string{"many"} },
		"invalid value":      func(p *loadtest.SweepPlan) { p.Values = []string{"0"} },
		"unknown variable":   func(p *loadtest.SweepPlan) { p.Variable = "block" },
		"budget of no sizes": func(p *loadtest.SweepPlan) { p.Budget = 1 },
	} {
		p := valid
		change(&p)
		if loadtest.Sweep(t.Context(), p, &record.Run{}, nil) == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}

// TestFindRate searches the rate of a server that answers one request at a time
// and takes 10 ms for each.
func TestFindRate(t *testing.T) {
	t.Parallel()
	c := &counter{}
	turns := make(chan struct{}, 1)
	c.before = func(int64) {
		turns <- struct{}{}
		time.Sleep(10 * time.Millisecond)
		<-turns
	}
	plan := loadtest.RatePlan{Plan: smallPlan(c.start(t)), From: 2, To: 4000, Probe: 500 * time.Millisecond, Precision: 1.3}
	plan.Plan.Streams = 50
	rows := &record.Run{}
	highest, err := loadtest.FindRate(t.Context(), plan, rows, nil)
	if err != nil || highest < 2 || highest > 106 {
		t.Errorf("highest rate is %v, %v", highest, err)
	}
	if rows.Repeats[0].Label != "rate=2" || len(rows.Repeats) < 2 || rows.Repeats[0].Rate != 2 {
		t.Errorf("first probe is %+v", rows.Repeats[0])
	}
	plan.Plan.URL = startRaw(t, func(exchange) bool { return false })
	if highest, err := loadtest.FindRate(t.Context(), plan, rows, nil); err == nil || highest != 0 {
		t.Errorf("a server that is none sustains %v, %v", highest, err)
	}
	plan.From = 0
	if _, err := loadtest.FindRate(t.Context(), plan, rows, nil); err == nil {
		t.Error("searched from 0")
	}
}
