package main

import (
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql/parser"
)

// expression is one that Prometheus will be asked; quiet is why it has no answer
// while all is well.
type expression struct{ where, text, quiet string }

// interpolate sets the variables of Grafana.
func interpolate(text, interval string) string {
	return strings.NewReplacer("$__rate_interval", interval, "$instance", ".*", "$protocol", ".*").Replace(text)
}

// panelExpressions are those of the dashboard. Distributions and shares without
// anything in them show nothing, so that they are asked for what is in them.
func panelExpressions(interval string) (all []expression) {
	eachPanel(func(r row, p panel) {
		for _, q := range p.queries {
			text := interpolate(q.expr, interval)
			if p.kind == heat || p.kind == share {
				text = "(" + text + ") > 0"
			}
			all = append(all, expression{r.title + ", " + p.title + ": " + q.legend, text, p.quiet})
		}
	})
	return all
}

const rulesFolder = "../prometheus/"

// rulesOf reads a file of rules with Prometheus' own reader.
func rulesOf(t *testing.T, name string) (rules []rulefmt.Rule) {
	t.Helper()
	groups, errs := rulefmt.ParseFile(rulesFolder+name, false, model.LegacyValidation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Error(err)
	}
	for _, group := range groups.Groups {
		rules = append(rules, group.Rules...)
	}
	return rules
}

func ruleExpressions(t *testing.T) (all []expression) {
	t.Helper()
	for _, name := range []string{"rules.yml", "alerts.yml"} {
		for _, rule := range rulesOf(t, name) {
			all = append(all, expression{name + ": " + rule.Record + rule.Alert, rule.Expr, ""})
		}
	}
	return all
}

// Every expression is PromQL, over metrics that sluice has with the labels that
// they have.
func TestExpressions(t *testing.T) {
	known := scraped(t)
	maps.Copy(known, recorded(t))
	for _, e := range slices.Concat(panelExpressions("5m"), ruleExpressions(t)) {
		parsed, err := parser.NewParser(parser.Options{}).ParseExpr(e.text)
		if err != nil {
			t.Errorf("%s: %v", e.where, err)
			continue
		}
		for _, selector := range parser.ExtractSelectors(parsed) {
			checkSelector(t, known, e.where, selector)
		}
		checkGrouping(t, known, e.where, parsed)
	}
}

// checkSelector wants a known metric, labels that it has, and of closed sets
// values that occur.
func checkSelector(t *testing.T, known map[string]map[string][]string, where string, selector []*labels.Matcher) {
	t.Helper()
	metric := nameIn(selector)
	have, ok := known[metric]
	if !ok {
		t.Errorf("%s: there is no metric %s", where, metric)
		return
	}
	for _, matcher := range selector {
		if matcher.Name == model.MetricNameLabel || slices.Contains(ofPrometheus, matcher.Name) {
			continue
		}
		values, ok := have[matcher.Name]
		if !ok {
			t.Errorf("%s: %s has no label %s", where, metric, matcher.Name)
		} else if !slices.ContainsFunc(values, matcher.Matches) {
			t.Errorf("%s: no series of %s has %s", where, metric, matcher)
		}
	}
}

// checkGrouping wants what is grouped by to be a label of a metric below.
func checkGrouping(t *testing.T, known map[string]map[string][]string, where string, root parser.Expr) {
	t.Helper()
	parser.Inspect(root, func(node parser.Node, _ []parser.Node) error {
		aggregate, ok := node.(*parser.AggregateExpr)
		if !ok || aggregate.Without {
			return nil
		}
		have := slices.Clone(ofPrometheus)
		for _, selector := range parser.ExtractSelectors(aggregate) {
			have = slices.AppendSeq(have, maps.Keys(known[nameIn(selector)]))
		}
		for _, label := range aggregate.Grouping {
			if !slices.Contains(have, label) {
				t.Errorf("%s: nothing in %s has a label %s", where, aggregate, label)
			}
		}
		return nil
	})
}

// ofPrometheus are labels that Prometheus adds to what it scrapes.
var ofPrometheus = []string{"job", "instance"}

func nameIn(selector []*labels.Matcher) string {
	for _, matcher := range selector {
		if matcher.Name == model.MetricNameLabel {
			return matcher.Value
		}
	}
	return ""
}

// scraped are the metrics of the golden scrape, with the values of their labels,
// and those that every Go process and Prometheus itself have.
func scraped(t *testing.T) map[string]map[string][]string {
	t.Helper()
	golden, err := os.ReadFile("../../internal/metrics/testdata/scrape.golden")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]map[string][]string{
		"up":     {},
		"ALERTS": {"alertname": {"SluiceDown"}, "alertstate": {"firing"}},
	}
	for _, name := range []string{
		"go_gc_duration_seconds_sum", "go_goroutines", "go_memstats_heap_inuse_bytes",
		"process_cpu_seconds_total", "process_max_fds", "process_open_fds", "process_resident_memory_bytes", "process_start_time_seconds",
	} {
		known[name] = map[string][]string{}
	}
	read := textparse.NewPromParser(golden, labels.NewSymbolTable(), false)
	for {
		entry, err := read.Next()
		if err != nil {
			break // the end
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var series labels.Labels
		read.Labels(&series)
		name := series.Get(model.MetricNameLabel)
		if known[name] == nil {
			known[name] = make(map[string][]string)
		}
		series.Range(func(l labels.Label) { known[name][l.Name] = append(known[name][l.Name], l.Value) })
	}
	if len(known) < 50 {
		t.Fatalf("only %d metrics in the golden scrape", len(known))
	}
	return known
}

// recorded are the metrics that recording rules make. Their names tell the labels
// before the first colon, as the names of such rules do.
func recorded(t *testing.T) map[string]map[string][]string {
	t.Helper()
	known := make(map[string]map[string][]string)
	for _, rule := range rulesOf(t, "rules.yml") {
		known[rule.Record] = make(map[string][]string)
		level, _, _ := strings.Cut(rule.Record, ":")
		for label := range strings.SplitSeq(level, "_") {
			known[rule.Record][label] = []string{""}
		}
	}
	return known
}

// Each alert says what has happened and leads to a section of the runbook, which
// has no section without an alert; and so does each panel.
func TestRunbook(t *testing.T) {
	text, err := os.ReadFile("../../docs/OPERATIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := make(map[string]bool)
	for _, match := range regexp.MustCompile(`(?m)^### (Sluice\w+)$`).FindAllSubmatch(text, -1) {
		sections[anchor(string(match[1]))] = true
	}
	alerts := make(map[string]bool)
	for _, rule := range rulesOf(t, "alerts.yml") {
		alerts[anchor(rule.Alert)] = true
		_, fragment, _ := strings.Cut(rule.Annotations["runbook_url"], "#")
		if fragment != anchor(rule.Alert) || !sections[fragment] {
			t.Errorf("%s: its section of the runbook is %q, and there is one: %t", rule.Alert, fragment, sections[fragment])
		}
		if rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" || rule.Labels["severity"] == "" {
			t.Errorf("%s: lacks a summary, a description or a severity", rule.Alert)
		}
	}
	for section := range sections {
		if !alerts[section] {
			t.Errorf("there is no alert for the section %s of the runbook", section)
		}
	}
	eachPanel(func(_ row, p panel) {
		if p.alert != "" && !alerts[anchor(p.alert)] {
			t.Errorf("%s: there is no alert %s", p.title, p.alert)
		}
	})
}
