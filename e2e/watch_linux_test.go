package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// watchMetrics scrapes again and again until the returned function is called or
// the test ends. Each scrape must succeed, parse, and hold nothing but numbers
// that make sense.
func (s *server) watchMetrics() (stop func()) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		for {
			if err := s.soundScrape(); err != nil {
				s.t.Error(err)
				return
			}
			select {
			case <-done:
				return
			case <-ticker.C:
			}
		}
	})
	stop = sync.OnceFunc(func() { close(done); watching.Wait() })
	s.t.Cleanup(stop)
	return stop
}

func (s *server) soundScrape() error {
	response, err := http.Get("http://" + s.admin + "/metrics")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("scrape: status %d, %w: %s", response.StatusCode, err, text)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return err
	}
	for name, family := range families {
		if !strings.HasPrefix(name, "sluice_") {
			continue
		}
		for _, m := range family.GetMetric() {
			v := m.GetGauge().GetValue() + m.GetCounter().GetValue() + m.GetHistogram().GetSampleSum()
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
				return fmt.Errorf("%s is %v", name, m)
			}
		}
	}
	return nil
}
