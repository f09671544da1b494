package live_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"sluice/loadtest/live"
	"sluice/loadtest/record"
)

func TestExporterTellsWhatItIsGiven(t *testing.T) {
	t.Parallel()
	e := live.NewExporter()
	address, stop, err := e.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for _, row := range []record.Row{
		&record.Header{},
		&record.Second{Up: 1e6, Down: 5, InFlight: 3},
		&record.Second{Up: 1e6, InFlight: 2},
		&record.Transfer{Scenario: "put", Start: 2, Due: 1, Seconds: 1, FirstByte: 0.5},
		&record.Transfer{Scenario: "put", Error: &record.Error{Kind: record.KindShort}},
		&record.Usage{ServerRSS: 5e6},
		&record.Repeat{},
		&record.Lost{},
	} {
		if err := e.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	response, err := http.Get("http://" + address.String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`sluice_load_bytes_total{direction="up"} 2e+06`,
		`sluice_load_bytes_total{direction="down"} 5`,
		`sluice_load_in_flight{agent="",side=""} 2`,
		`sluice_load_transfers_total{result="ok",scenario="put"} 1`,
		`sluice_load_transfers_total{result="short",scenario="put"} 1`,
		`sluice_load_latency_seconds_sum{scenario="put"} 2`,
		`sluice_load_first_byte_seconds_count{scenario="put"} 1`,
		`sluice_load_server_memory_bytes 5e+06`,
		`sluice_load_repeats_total 1`,
		`sluice_load_agents_lost_total 1`,
	} {
		if !strings.Contains(string(body), line+"\n") {
			t.Errorf("metrics have no line %s:\n%s", line, body)
		}
	}
	problems, err := promlint.New(strings.NewReader(string(body))).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("error %v, problems %v", err, problems)
	}
}
