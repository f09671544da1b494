package e2e_test

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The metrics are to Prometheus' own checker's liking while transfers run and
// afterwards, and none is without value.
func TestMetricsAreClean(t *testing.T) {
	t.Parallel()
	path := content(t, 5*mib+1)
	s := start(t)
	lint(t, s.metricsText())

	running := wayPUT.begin(s, "running.bin", mib)
	running.send(make([]byte, mib/2))
	s.received("put", mib/2)
	curl(t, "-T", path, s.url("/files/a.bin")).want(t, 201)
	sendForm(t, s, path, "b.bin")
	sendTusCurl(t, s, path, "c.bin")
	if err := download(s.url("/files/a.bin"), path); err != nil {
		t.Error(err)
	}
	if rates := s.scrape().series(transferRate, "direction=upload", "protocol=put"); len(rates) != 1 {
		t.Errorf("%d rate series while one upload runs", len(rates))
	}
	lint(t, s.metricsText())

	running.send(make([]byte, mib/2))
	running.succeed()
	eventually(t, "the server is at rest", s.atRest)
	text := s.metricsText()
	lint(t, text)
	for _, bad := range []string{"NaN", " -Inf"} {
		if strings.Contains(string(text), bad) {
			t.Errorf("the metrics hold %s", bad)
		}
	}
	for _, protocol := range []string{"put", "form", "tus", "get"} {
		if got := s.scrape().endings(protocol); got.ok == 0 || got.total() != got.ok {
			t.Errorf("%s transfers ended: %s; want ok alone", protocol, got)
		}
	}
}

// transferList is what the API says of transfers, running and ended.
type transferList struct {
	Running, Recent []struct {
		ID        string  `json:"id"`
		Direction string  `json:"direction"`
		Protocol  string  `json:"protocol"`
		Name      string  `json:"name"`
		Client    string  `json:"client"`
		Bytes     float64 `json:"bytes"`
		Total     float64 `json:"total"`
		Rate      float64 `json:"bytes_per_second"`
		Result    string  `json:"result"`
		Status    int     `json:"status"`
		Phase     string  `json:"phase"`
		Reason    string  `json:"reason"`
	}
}

func (s *server) transfers() transferList {
	s.t.Helper()
	var list transferList
	curl(s.t, s.url("/api/v1/transfers")).want(s.t, 200).decode(s.t, &list)
	return list
}

// The rate of a running upload is shown within 10 % of the true one, and its
// bytes are counted as they come.
func TestLiveRate(t *testing.T) {
	t.Parallel()
	const (
		rate   = 20_000_000
		size   = 60 * rate // more than is ever sent
		window = 3 * time.Second
		limit  = 15 * time.Second
	)
	s := start(t)
	u := wayPUT.begin(s, "live.bin", size)
	p := &pacer{rate: rate}
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		if err := p.run(u, endless{}, size, stop); err != nil {
			t.Error(err)
		}
	})
	stopWriting := sync.OnceFunc(func() { close(stop); writing.Wait() })
	defer stopWriting()

	off := s.rateError(p, window, limit)
	t.Logf("the rate shown is off by %.1f %%", 100*off)
	if off > tolerance {
		t.Errorf("the rate shown is off by more than %.0f %% in every window", 100*tolerance)
	}
	before := s.countedBytes("put")
	eventually(t, "bytes are counted as they come", func() bool { return s.countedBytes("put") > before })
	list := s.transfers()
	if len(list.Running) != 1 {
		t.Fatalf("%d transfers run, want 1", len(list.Running))
	}
	got := list.Running[0]
	if got.Name != "live.bin" || got.Direction != "upload" || got.Protocol != "put" || got.Client != "127.0.0.1" || got.Total != size {
		t.Errorf("the running transfer is %+v", got)
	}
	if got.Bytes == 0 || math.Abs(got.Rate/rate-1) > 0.5 {
		t.Errorf("the API says %.0f bytes at %.0f a second, want about %d a second", got.Bytes, got.Rate, rate)
	}

	want := s.scrape().endings("put")
	want.aborted++
	stopWriting()
	u.peer.rst()
	s.ends("put", want) // and with it the rate series
	if list := s.transfers(); len(list.Running) != 0 || len(list.Recent) != 1 || list.Recent[0].Result != "aborted" {
		t.Errorf("transfers after the end: %+v", list)
	}
}

// rateError is by how much, relatively, the rate that the metrics show is off
// the one that the pacer measured over the same window: the median of what is
// seen while such a window passes, for one look may be lucky. A window that is
// disturbed gets another chance until limit has passed.
func (s *server) rateError(p *pacer, window, limit time.Duration) float64 {
	s.t.Helper()
	best := math.Inf(1)
	for began := time.Now(); best > tolerance && time.Since(began) < limit; {
		var seen []float64
		for begun := time.Now(); time.Since(begun) < window; time.Sleep(pollEvery) {
			m := s.scrape()
			// Younger than the window, a transfer shows its mean rate.
			if truth, ok := p.measured(time.Now(), window, time.Second); ok {
				seen = append(seen, math.Abs(m.sum(transferRate, "direction=upload", "protocol=put")/truth-1))
			}
		}
		if slices.Sort(seen); len(seen) > 0 {
			best = min(best, seen[len(seen)/2])
		}
	}
	return best
}

// tolerance is how far off, relatively, the rate shown may be.
const tolerance = 0.1

// endless reads as zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// The operators' listener tells whether the server lives and takes work.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, body := s.operator(path); status != 200 {
			t.Errorf("%s: status %d\n%s", path, status, body)
		}
	}
	if ready := s.scrape().sum("sluice_ready"); ready != 1 {
		t.Errorf("sluice_ready is %v, want 1", ready)
	}
	for _, path := range []string{"/metrics", "/healthz", "/readyz", "/debug/pprof/"} {
		curl(t, s.url(path)).want(t, 404)
	}
	if status, _ := s.operator("/files/"); status != 404 {
		t.Errorf("the operators' listener serves files: status %d", status)
	}
}
