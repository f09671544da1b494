package loadtest_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/loadtest"
	"sluice/loadtest/payload"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// counter is a server that takes every file and counts connections and uploads.
type counter struct {
	connections, uploads atomic.Int64
	// before is called before each upload is answered, with its number from 1.
	before func(int64)
}

func (c *counter) start(t *testing.T) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodDelete {
			return
		}
		if n := c.uploads.Add(1); c.before != nil {
			c.before(n)
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			c.connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// smallPlan returns a plan for tiny files that are kept, so that nothing but
// transfers reaches the server.
func smallPlan(url string) loadtest.Plan {
	plan := newPlan("put", url)
	plan.Size, plan.Keep = payload.Fixed(100), true
	return plan
}

// In the open model a server that stands still hides nothing: all that was due
// meanwhile is late, and is counted from when it was due.
func TestOpenModelCountsFromWhenItWasDue(t *testing.T) {
	t.Parallel()
	const pause = 400 * time.Millisecond
	for _, streams := range []int{1, 100} {
		t.Run(fmt.Sprintf("at most %d at once", streams), func(t *testing.T) {
			t.Parallel()
			var once sync.Once
			released := make(chan struct{})
			c := &counter{before: func(int64) {
				once.Do(func() { time.AfterFunc(pause, func() { close(released) }) })
				<-released
			}}
			plan := smallPlan(c.start(t))
			plan.Rate, plan.Files, plan.Streams = 50, 30, streams
			run := measure(t, plan, 1)
			if err := report.NewRun(run).Err(); err != nil {
				t.Fatal(err)
			}
			if len(run.Transfers) != 30 || run.Repeats[0].Transfers != 30 || run.Repeats[0].Rate != 50 {
				t.Fatalf("%d transfers, repeat %+v", len(run.Transfers), run.Repeats[0])
			}
			if bounded := run.Repeats[0].Bounded > 0; bounded != (streams == 1) {
				t.Errorf("%d transfers had to wait", run.Repeats[0].Bounded)
			}
			byDue := slices.Clone(run.Transfers)
			slices.SortFunc(byDue, func(a, b *record.Transfer) int { return int(1e6 * (a.Due - b.Due)) })
			for number, row := range byDue {
				due := float64(number) / 50
				if row.Due < due-1e-6 || row.Due > due+1e-6 || row.Start < row.Due {
					t.Errorf("transfer %d was due after %v s and began after %v s", number, row.Due, row.Start)
				}
				if latency := row.Start + row.Seconds - row.Due; latency < pause.Seconds()-due {
					t.Errorf("transfer %d took %v s from when it was due, the server stood still for %v s more", number, latency, pause.Seconds()-due)
				}
			}
		})
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{0, 200} {
		t.Run(fmt.Sprintf("rate %v", rate), func(t *testing.T) {
			t.Parallel()
			c := &counter{}
			plan := smallPlan(c.start(t))
			plan.Rate, plan.Duration, plan.Streams = rate, 300*time.Millisecond, 3
			run := measure(t, plan, 2)
			if err := report.NewRun(run).Err(); err != nil {
				t.Fatal(err)
			}
			if got := c.uploads.Load(); got != int64(len(run.Transfers)) || got < 1 || rate > 0 && got != 120 {
				t.Errorf("%d uploads, %d rows", got, len(run.Transfers))
			}
			for _, row := range run.Transfers {
				if rate > 0 && row.Due > 0.3 {
					t.Errorf("one was due after %v s", row.Due)
				}
			}
			if names := distinct(run.Transfers); names != len(run.Transfers) {
				t.Errorf("%d transfers went to %d names", len(run.Transfers), names)
			}
		})
	}
}

func distinct(rows []*record.Transfer) int {
	names := map[string]bool{}
	for _, row := range rows {
		names[row.URL] = true
	}
	return len(names)
}

func TestRamp(t *testing.T) {
	t.Parallel()
	c := &counter{}
	plan := smallPlan(c.start(t))
	plan.Streams, plan.Files, plan.Ramp = 4, 2, 400*time.Millisecond
	for _, row := range measure(t, plan, 1).Transfers {
		if joins := 0.1 * float64(row.Stream); row.Start < joins {
			t.Errorf("stream %d began after %v s, want %v s", row.Stream, row.Start, joins)
		}
	}
}

// What happens in the warm-up leaves no rows, unless it fails.
func TestWarmUp(t *testing.T) {
	t.Parallel()
	c := &counter{}
	plan := smallPlan(c.start(t))
	plan.Streams, plan.Files, plan.WarmUp = 2, 3, 300*time.Millisecond
	run := measure(t, plan, 2)
	if len(run.Transfers) != 12 || len(run.Repeats) != 2 {
		t.Errorf("%d transfers in %d repeats", len(run.Transfers), len(run.Repeats))
	}
	if got := c.uploads.Load(); got <= 12 {
		t.Errorf("%d uploads, with those of the warm-up", got)
	}
	plan.URL = startRaw(t, func(x exchange) bool {
		x.drain()
		x.reply("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
		return true
	})
	run = measure(t, plan, 1)
	if len(run.Transfers) <= 6 || report.NewRun(run).Failures()["refused"] != len(run.Transfers) {
		t.Errorf("%d transfers, failures %v", len(run.Transfers), report.NewRun(run).Failures())
	}
}

func TestConnections(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		connection string
		want       int64
		made       int // rows that tell of a connection
	}{{"", 3, 0}, {loadtest.ConnectionKeep, 3, 0}, {loadtest.ConnectionClose, 15, 15}} {
		t.Run(test.connection, func(t *testing.T) {
			t.Parallel()
			c := &counter{}
			plan := smallPlan(c.start(t))
			plan.Streams, plan.Files, plan.Connection = 3, 5, test.connection
			run := measure(t, plan, 1)
			if err := report.NewRun(run).Err(); err != nil {
				t.Fatal(err)
			}
			// One more prepares, and has nothing to do.
			if got := c.connections.Load(); got != test.want {
				t.Errorf("%d connections, want %d", got, test.want)
			}
			made := 0
			for _, row := range run.Transfers {
				if row.Connect > 0 {
					made++
				}
			}
			if made != test.made {
				t.Errorf("%d rows tell of a connection, want %d", made, test.made)
			}
		})
	}
}

// A server may close what is idle. The next transfer then needs a connection,
// and nobody has failed.
func TestIdleConnectionsThatAreClosed(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	url := startRaw(t, func(x exchange) bool {
		connections.Add(1)
		x.drain()
		x.reply("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
		return false
	})
	plan := smallPlan(url)
	plan.Rate, plan.Files = 2, 3
	run := measure(t, plan, 1)
	if err := report.NewRun(run).Err(); err != nil || connections.Load() != 3 {
		t.Errorf("%d connections, %v", connections.Load(), err)
	}
}

func TestStreamRate(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"put", "form", "tus", "get"} {
		for _, verify := range []bool{true, false} {
			t.Run(fmt.Sprint(scenario, verify), func(t *testing.T) {
				t.Parallel()
				_, url := newStore(t)
				plan := newPlan(scenario, url+map[bool]string{true: "/tus/", false: "/files/"}[scenario == "tus"])
				plan.Size, plan.StreamRate, plan.Streams, plan.Verify = payload.Fixed(30_000), 100_000, 3, verify
				run := measure(t, plan, 1)
				if err := report.NewRun(run).Err(); err != nil {
					t.Fatal(err)
				}
				for _, row := range run.Transfers {
					if row.Seconds < 0.19 { // a portion is a tenth of a second, and the first one had time to come
						t.Errorf("30 kB at 100 kB/s took %v s", row.Seconds)
					}
				}
			})
		}
	}
}

// Lengths come from the seed, whatever the order in which files are moved.
func TestSizesAreTheSameAgain(t *testing.T) {
	t.Parallel()
	c := &counter{}
	plan := smallPlan(c.start(t))
	plan.Streams, plan.Files = 3, 20
	var err error
	if plan.Size, err = payload.ParseSizes("uniform:1-5000"); err != nil {
		t.Fatal(err)
	}
	lengths := func() map[string]int64 {
		all := map[string]int64{}
		for _, row := range measure(t, plan, 1).Transfers {
			if row.Bytes != row.Size {
				t.Errorf("%d of %d bytes", row.Bytes, row.Size)
			}
			all[row.URL] = row.Size
		}
		return all
	}
	first, second := lengths(), lengths()
	different := map[int64]bool{}
	for url, size := range first {
		different[size] = true
		if second[url] != size {
			t.Errorf("%s has %d bytes, then %d", url, size, second[url])
		}
	}
	if len(first) != 60 || len(different) < 50 {
		t.Errorf("%d files have %d lengths", len(first), len(different))
	}
}

func TestReadBack(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ scenario, path string }{{"put", "/files/"}, {"form", "/files/"}, {"tus", "/tus/"}} {
		t.Run(test.scenario, func(t *testing.T) {
			t.Parallel()
			s, url := newStore(t)
			plan := newPlan(test.scenario, url+test.path)
			plan.ReadBack, plan.Streams = true, 2
			run := measure(t, plan, 1)
			if err := report.NewRun(run).Err(); err != nil {
				t.Error(err)
			}
			for _, row := range run.Transfers {
				if row.Checked != record.CheckedContent || row.Bytes != size {
					t.Errorf("checked %q, %d bytes", row.Checked, row.Bytes)
				}
			}
			s.mu.Lock()
			s.spoil = true
			s.mu.Unlock()
			run = measure(t, plan, 1)
			if got := report.NewRun(run).Failures()["mismatch"]; got != 2 {
				t.Errorf("failures are %v", report.NewRun(run).Failures())
			}
			if _, bytes, _ := s.state(); bytes != 0 {
				t.Errorf("%d uploads are left", bytes)
			}
		})
	}
}

func TestMarksOfTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ scenario, path string }{{"put", "/files/"}, {"form", "/files/"}, {"tus", "/tus/"}, {"get", "/files/"}} {
		t.Run(test.scenario, func(t *testing.T) {
			t.Parallel()
			_, url := newStore(t)
			row := measure(t, newPlan(test.scenario, url+test.path), 1).Transfers[0]
			if row.FirstByte <= 0 || row.FirstByte > row.Seconds {
				t.Errorf("first byte after %v of %v s", row.FirstByte, row.Seconds)
			}
			if upload := test.scenario != "get"; (row.Finish > 0) != upload || row.Finish > row.Seconds {
				t.Errorf("finishing took %v of %v s", row.Finish, row.Seconds)
			}
		})
	}
}
