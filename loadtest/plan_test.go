package loadtest_test

import (
	"math"
	"strings"
	"testing"

	"sluice/loadtest"
	"sluice/loadtest/record"
)

func TestPlanValidate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*loadtest.Plan)
		want   []string // a word of each fault
	}{
		{"valid", func(*loadtest.Plan) {}, nil},
		{"file with one stream", func(p *loadtest.Plan) { p.URL = "http://h/x" }, nil},
		{"file with two streams", func(p *loadtest.Plan) { p.URL, p.Streams = "http://h/x", 2 }, []string{"can't share the one file"}},
		{"downloads of one file", func(p *loadtest.Plan) { p.Scenario, p.URL, p.Streams, p.Files = "get", "http://h/x", 2, 3 }, nil},
		{"endpoint with two streams", func(p *loadtest.Plan) { p.Scenario, p.URL, p.Streams = "form", "http://h/x", 2 }, nil},
		{"host alone is a folder", func(p *loadtest.Plan) { p.URL, p.Streams = "http://h", 2 }, nil},
		{"ftp", func(p *loadtest.Plan) { p.URL = "ftp://h/" }, []string{"http://host/path"}},
		{"no URL", func(p *loadtest.Plan) { p.URL = "" }, []string{"http://host/path"}},
		{"malformed URL", func(p *loadtest.Plan) { p.URL = "http://h/%zz" }, []string{"invalid URL escape"}},
		{"unknown scenario", func(p *loadtest.Plan) { p.Scenario = "ftp" }, []string{"none of put"}},
		{"synced form", func(p *loadtest.Plan) { p.Scenario, p.SyncFolder = "form", "/" }, []string{"only to put"}},
		{"crowd without a folder", func(p *loadtest.Plan) { p.URL, p.Crowd.Stalled = "http://h/x", 1 }, []string{"crowd:"}},
		{"crowd without a rate", func(p *loadtest.Plan) { p.Crowd.Slow = 1 }, []string{"crowd: 0 bytes"}},
		{"cold put", func(p *loadtest.Plan) { p.Cold = true }, []string{"only to get"}},
		{"mix without weights", func(p *loadtest.Plan) { p.Scenario = "mixed" }, []string{"weights: there are none"}},
		{"mix with tus and no URL for it", func(p *loadtest.Plan) { p.Scenario, p.Weights = "mixed", loadtest.Weights{{"tus", 1}} }, []string{"tus-url"}},
		{"mix into a file", func(p *loadtest.Plan) {
			p.Scenario, p.URL, p.Weights = "mixed", "http://h/x", loadtest.Weights{{"put", 1}}
		}, []string{"end in /"}},
		{"weighted put", func(p *loadtest.Plan) { p.Weights = loadtest.Weights{{"put", 1}} }, []string{"only to mixed"}},
		{"slow at full speed", func(p *loadtest.Plan) { p.Scenario, p.Weights = "slow", loadtest.Weights{{"put", 1}} }, []string{"stream-rate"}},
		{"soak without end", func(p *loadtest.Plan) { p.Scenario, p.Weights = "soak", loadtest.Weights{{"put", 1}} }, []string{"duration"}},
		{"small downloads", func(p *loadtest.Plan) { p.Scenario, p.Via = "small", "get" }, []string{"via:"}},
		{"resumed form", func(p *loadtest.Plan) { p.Scenario, p.Via, p.Cuts = "resume", "form", 1 }, []string{"via:"}},
		{"resumed without a cut", func(p *loadtest.Plan) { p.Scenario, p.Via = "resume", "tus" }, []string{"cuts:"}},
		{"duration and files", func(p *loadtest.Plan) { p.Duration, p.Files = 1, 1 }, []string{"duration:"}},
		{"rate that is none", func(p *loadtest.Plan) { p.Rate = math.NaN() }, []string{"rate:"}},
		{"odd connection", func(p *loadtest.Plan) { p.Connection = "open" }, []string{"connection:"}},
		{"more than compressible", func(p *loadtest.Plan) { p.Compressible = 1.1 }, []string{"compressible:"}},
		{"all at once", func(p *loadtest.Plan) { p.Duration, p.Chunk, p.Streams, p.Timeout = -1, -1, 0, 0 },
			[]string{"duration:", "chunk", "streams:", "timeout:"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			plan := newPlan("put", "http://h/")
			test.change(&plan)
			err := plan.Validate()
			if (err != nil) != (len(test.want) > 0) {
				t.Fatalf("error is %v", err)
			}
			for _, word := range test.want {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q does not tell of %q", err, word)
				}
			}
		})
	}
}

func TestInvalidWorkIsNotStarted(t *testing.T) {
	t.Parallel()
	s, url := newStore(t)
	plan := newPlan("put", url+"/x")
	plan.Streams = 2
	if err := loadtest.Measure(t.Context(), plan, 1, new(record.Run), nil); err == nil {
		t.Error("measured an invalid plan")
	}
	if err := loadtest.Measure(t.Context(), newPlan("put", url+"/"), 0, new(record.Run), nil); err == nil {
		t.Error("measured 0 repeats")
	}
	versus := newVersus("put", url+"/", "put", url+"/")
	versus.Sustained, versus.Pairs, versus.WarmUp, versus.B.Streams = 0, 0, -1, 0
	if err := loadtest.Versus(t.Context(), versus, new(record.Run), nil); err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("error is %v, want four faults", err)
	}
	if len(s.requests) != 0 {
		t.Errorf("requests %v", s.requests)
	}
}
