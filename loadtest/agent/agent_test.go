package agent_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sluice/loadtest"
	"sluice/loadtest/agent"
	"sluice/loadtest/payload"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var secret = []byte("sixteen bytes or more")

// serve starts an agent, which ends with the test.
func serve(t *testing.T) string {
	t.Helper()
	listener, err := agent.Listen("127.0.0.1:0", secret)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- agent.Serve(ctx, listener, secret, func(string, ...any) {}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// sink starts a server that takes every upload.
func sink(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

func plan(url string) loadtest.Plan {
	return loadtest.Plan{Scenario: "put", URL: url, Size: payload.Fixed(100_000), Streams: 2, Seed: 1, Timeout: 10 * time.Second}
}

func TestTeam(t *testing.T) {
	t.Parallel()
	names := []string{serve(t), serve(t), serve(t)}
	rows := &record.Run{}
	team := agent.Team{Agents: names, Secret: secret, Plan: plan(sink(t)), Repeats: 2}
	if err := team.Run(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	r := report.NewRun(rows)
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	urls := map[string]bool{}
	starts := map[int]float64{}
	for _, row := range rows.Transfers {
		urls[row.URL] = true
	}
	for _, row := range rows.Repeats {
		if first, found := starts[row.Repeat]; found && first != row.Start {
			t.Errorf("repeat %d starts at %v and at %v", row.Repeat, first, row.Start)
		}
		starts[row.Repeat] = row.Start
	}
	if len(rows.Transfers) != 12 || len(urls) != 12 || len(rows.Headers) != 4 || len(rows.Repeats) != 6 {
		t.Errorf("%d transfers of %d files, %d headers, %d repeats", len(rows.Transfers), len(urls), len(rows.Headers), len(rows.Repeats))
	}
	if s := r.Summary(); s.MBPerSecond.N != 2 {
		t.Errorf("summary is %+v, want it of 2 repeats of all together", s)
	}
}

func TestAgentsRefuse(t *testing.T) {
	t.Parallel()
	address := serve(t)
	for name, change := range map[string]func(*agent.Team){
		"another secret":   func(t *agent.Team) { t.Secret = []byte("another one of the right length") },
		"no secret":        func(t *agent.Team) { t.Secret = nil },
		"command":          func(t *agent.Team) { t.Plan.Scenario, t.Plan.ColdCommand = "get", "true" },
		"folder":           func(t *agent.Team) { t.Plan.SyncFolder = "/" },
		"itself":           func(t *agent.Team) { t.Agents = append(t.Agents, address) },
		"nobody there":     func(t *agent.Team) { t.Agents = []string{"127.0.0.1:1"} },
		"no plan":          func(t *agent.Team) { t.Plan.URL = "" },
		"prepared in vain": func(t *agent.Team) { t.Plan.Scenario, t.Plan.URL = "get", "http://127.0.0.1:1/x" },
	} {
		team := agent.Team{Agents: []string{address}, Secret: secret, Plan: plan("http://127.0.0.1:1/"), Repeats: 1}
		change(&team)
		if err := team.Run(t.Context(), &record.Run{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := agent.Listen("0.0.0.0:0", nil); err == nil {
		t.Error("listens to everybody without a secret")
	}
	if _, err := agent.Listen("127.0.0.1:0", []byte("short")); err == nil {
		t.Error("takes a secret that can be guessed")
	}
}

// A team that is broken off tells its agents, who remove their files.
func TestTeamBrokenOff(t *testing.T) {
	t.Parallel()
	puts, deletes := make(chan struct{}, 100), make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodDelete {
			deletes <- struct{}{}
			return
		}
		puts <- struct{}{}
		time.Sleep(10 * time.Millisecond) // or else there are very many
	}))
	t.Cleanup(server.Close)
	p := plan(server.URL + "/")
	p.Files = 50_000
	team := agent.Team{Agents: []string{serve(t)}, Secret: secret, Plan: p, Repeats: 1}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- team.Run(ctx, &record.Run{}) }()
	<-puts
	cancel()
	go func() {
		for range puts {
		}
	}()
	defer close(puts)
	<-deletes
	go func() {
		for range deletes {
		}
	}()
	defer close(deletes)
	if err := <-ended; err == nil {
		t.Error("no error")
	}
	server.Close()
}

// What isn't an agent, or isn't one any more, is found out.
func TestAgentThatIsLost(t *testing.T) {
	t.Parallel()
	address := serve(t)
	// Between the team and the agent stands one who cuts the line once rows come.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		front, err := listener.Accept()
		if err != nil {
			return
		}
		defer front.Close()
		back, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		defer back.Close()
		go func() { _, _ = io.Copy(back, front) }()
		var seen strings.Builder
		buffer := make([]byte, 4096)
		for !strings.Contains(seen.String(), `"row":"repeat"`) {
			n, err := back.Read(buffer)
			if err != nil {
				return
			}
			seen.Write(buffer[:n])
			if _, err := front.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	rows := &record.Run{}
	result := report.New()
	team := agent.Team{Agents: []string{listener.Addr().String(), serve(t)}, Secret: secret, Plan: plan(sink(t)), Repeats: 5}
	if err := team.Run(t.Context(), record.Tee(rows, result)); err != nil {
		t.Fatal(err)
	}
	if got := result.Runs()[0].Failures()["agent"]; got != 1 {
		t.Errorf("failures are %v", result.Runs()[0].Failures())
	}
	if n := len(rows.Repeats); n < 6 || n > 9 {
		t.Errorf("%d repeats, want 5 of the agent that stayed and some of the one that was lost", n)
	}
}
