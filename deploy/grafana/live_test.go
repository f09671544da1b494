package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

var answers = flag.String("answers", "", "write what Prometheus has answered to each panel to this file, as JSON")

// silent is what has no data here, by the metric that is asked for.
var silent = map[string]string{
	"sluice_tls_certificate_not_after_timestamp_seconds": "no TLS",
}

// ofTheMachine are alerts that depend on what else is on the disk.
var ofTheMachine = []string{"SluiceSpaceLow", "SluiceSpaceRunsOut"}

// A real Prometheus, with the configuration and rules of this repository, scrapes
// a real server under load: every panel has data, and so has everything that the
// rules look at; and no alert is even on its way.
func TestLive(t *testing.T) {
	server := startSluice(t)
	prometheus := startPrometheus(t, server.admin)
	server.load(t)

	for _, e := range slices.Concat(panelExpressions("5s"), ruleInputs(t)) {
		if e.quiet != "" {
			t.Logf("%s: no data: %s", e.where, e.quiet)
			continue
		}
		eventually(t, e.where+" has data: "+e.text, func() bool { return hasData(prometheus.overLastMinute(t, e.text)) })
	}
	for _, alert := range prometheus.alerts(t) {
		if name := string(alert.Labels["alertname"]); !strings.Contains(strings.Join(ofTheMachine, " "), name) {
			t.Errorf("%s is %s though all is well: %s", name, alert.State, alert.Annotations["summary"])
		}
	}
	if *answers != "" {
		writeAnswers(t, prometheus)
	}
}

// ruleInputs are what the rules look at, and what the recording rules make of it:
// the conditions of alerts themselves hold only in trouble.
func ruleInputs(t *testing.T) (inputs []expression) {
	t.Helper()
	for _, e := range ruleExpressions(t) {
		parsed, err := parser.NewParser(parser.Options{}).ParseExpr(e.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, selector := range parser.ExtractSelectors(parsed) {
			inputs = append(inputs, expression{e.where, selectorText(selector), silent[nameIn(selector)]})
		}
	}
	for _, rule := range rulesOf(t, "rules.yml") {
		inputs = append(inputs, expression{"rules.yml", rule.Record, ""})
	}
	return inputs
}

func selectorText(selector []*labels.Matcher) string {
	texts := make([]string, len(selector))
	for i, matcher := range selector {
		texts[i] = matcher.String()
	}
	return "{" + strings.Join(texts, ",") + "}"
}

// hasData reports whether there is a number.
func hasData(matrix model.Matrix) bool {
	for _, series := range matrix {
		for _, sample := range series.Values {
			if v := float64(sample.Value); !math.IsNaN(v) && !math.IsInf(v, 0) {
				return true
			}
		}
	}
	return false
}

func (p *prometheusServer) overLastMinute(t *testing.T, text string) model.Matrix {
	t.Helper()
	now := time.Now()
	value, _, _, err := p.api.QueryRange(t.Context(), text, v1.Range{Start: now.Add(-time.Minute), End: now, Step: time.Second})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	matrix, ok := value.(model.Matrix)
	if !ok {
		t.Fatalf("%s: a %s", text, value.Type())
	}
	return matrix
}

func (p *prometheusServer) alerts(t *testing.T) []v1.Alert {
	t.Helper()
	result, err := p.api.Alerts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result.Alerts
}

// patience bounds every wait for something that has to happen.
const patience = 45 * time.Second

// eventually waits until ok reports true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// getOK waits until a URL answers with 200.
func getOK(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	eventually(t, url+" answers", func() bool {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// writeAnswers keeps the answers for somebody to draw and look at, once there is
// something to see.
func writeAnswers(t *testing.T, p *prometheusServer) {
	t.Helper()
	eventually(t, "half a minute has passed", func() bool {
		return hasData(p.overLastMinute(t, "count_over_time(sluice_build_info[1m]) > 30"))
	})
	type answer struct {
		Row, Title, Unit string
		Kind             string
		Legends          []string
		Answers          []model.Matrix
	}
	kinds := map[kind]string{lines: "lines", stacked: "stacked", share: "share", number: "number", list: "list", heat: "heat"}
	var all []answer
	eachPanel(func(r row, panel panel) {
		a := answer{Row: r.title, Title: panel.title, Unit: panel.unit, Kind: kinds[panel.kind]}
		for _, q := range panel.queries {
			a.Legends = append(a.Legends, q.legend)
			a.Answers = append(a.Answers, p.overLastMinute(t, interpolate(q.expr, "5s")))
		}
		all = append(all, a)
	})
	text, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile(*answers, text, 0o644)
	}
	if err != nil {
		t.Error(fmt.Errorf("write answers: %w", err))
	}
}
