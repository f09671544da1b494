package metrics_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"sluice/internal/transfer"
)

// Workers reuse the memory of their names, as fiber does, while scrapes go on:
// each scrape must be complete, parse, and know no foreign label.
func TestScrapeUnderLoad(t *testing.T) {
	t.Parallel()
	const workers, each = 64, 30
	s := newServer(20)
	var writers sync.WaitGroup
	for w := range workers {
		writers.Go(func() { work(s, w, each) })
	}
	done := make(chan struct{})
	go func() {
		writers.Wait()
		close(done)
	}()
	scrapeUntil(t, s, done)

	families := parse(t, s.scrape(t))
	if got := gauge(families["sluice_transfers_in_flight"]); got != 0 {
		t.Errorf("in flight = %v, want 0", got)
	}
	if got := counter(families["sluice_transfers_finished_total"], "result", "ok"); got != workers*each {
		t.Errorf("finished = %v, want %d", got, workers*each)
	}
	if got := counter(families["promhttp_metric_handler_errors_total"], "cause", "gathering"); got != 0 {
		t.Errorf("%v scrapes had errors", got)
	}
	for _, rec := range s.Recent() {
		if rec.Name != strings.Repeat(rec.Client, len(rec.Name)/max(1, len(rec.Client))) {
			t.Errorf("name %q belongs to another client than %q", rec.Name, rec.Client)
		}
	}
}

// work moves transfers whose names, of different lengths, repeat the client's.
func work(s *server, worker, transfers int) {
	kinds := transfer.Kinds()
	client := strconv.Itoa(100 + worker)
	memory := make([]byte, 0, 64)
	for i := range transfers {
		memory = append(memory[:0], strings.Repeat(client, 1+rand.IntN(10))...)
		k := kinds[(worker+i)%len(kinds)]
		t := s.Begin(transfer.Spec{
			Direction: k.Direction, Protocol: k.Protocol,
			Name: unsafe.String(&memory[0], len(memory)), Client: client,
		})
		for range 10 {
			t.Add(rand.IntN(1 << 20))
		}
		t.End(transfer.Outcome{Result: transfer.ResultOK})
	}
}

func scrapeUntil(t *testing.T, s *server, done <-chan struct{}) {
	t.Helper()
	protocols := "put form tus get archive"
	for {
		select {
		case <-done:
			return
		default:
		}
		families := parse(t, s.scrape(t))
		wantFinite(t, families)
		for _, m := range families[rateName].GetMetric() {
			if len(label(m, "id")) != 16 || !strings.Contains(protocols, label(m, "protocol")) {
				t.Errorf("foreign label in %v", m)
			}
		}
		if n := len(families[rateName].GetMetric()); n > 20 {
			t.Errorf("%d rate series, want at most 20", n)
		}
	}
}
