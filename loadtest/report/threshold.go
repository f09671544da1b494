package report

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrMissed says that a run went well, and a threshold was missed.
var ErrMissed = errors.New("threshold missed")

// Threshold is what a figure is held against: "put.mbps.p50>500". Its grammar is
//
//	threshold = [side "/"] subject "." figure ["." statistic] operator value
//	side      = "a" | "b"                         ; of a comparison
//	subject   = "run" | scenario
//	operator  = "<" | "<=" | ">" | ">=" | "==" | "!="
//	value     = number | duration                 ; of Go: 200ms is 0.2
//
// The figures of a scenario are those of its transfers: mbps, latency,
// first_byte, finish and delay (in seconds), whose statistic is min, mean, max or
// p0 to p100; and transfers and failed, which have none. Where there are several
// groups of them, as in a sweep, it must hold for each.
//
// The figures of the run are those of its repeats: mbps, per_second (transfers that
// ended), seconds, server_cpu and tester_cpu (in seconds per GB), whose statistic is median, mean, std_dev, min or
// max; and server_memory and tester_memory (peaks, in MB), transfers and failed,
// which have none.
type Threshold struct {
	text              string
	side, subject     string
	figure, statistic string
	operator          string
	value             float64
	percentile        float64 // if statistic is one
}

var thresholdSyntax = regexp.MustCompile(`^(?:([ab])/)?([a-z]+)\.([a-z_]+)(?:\.([a-z_]+|p[0-9]+(?:\.[0-9]+)?))?\s*(<=|>=|==|!=|<|>)\s*(\S+)$`)

// ParseThreshold reads a threshold.
func ParseThreshold(text string) (Threshold, error) {
	wrong := func(format string, args ...any) (Threshold, error) {
		return Threshold{}, fmt.Errorf("threshold %q: %s", text, fmt.Sprintf(format, args...))
	}
	m := thresholdSyntax.FindStringSubmatch(text)
	if m == nil {
		return wrong("is not of the form put.mbps.p50>500")
	}
	t := Threshold{text: text, side: m[1], subject: m[2], figure: m[3], statistic: m[4], operator: m[5]}
	value, err := strconv.ParseFloat(m[6], 64)
	if err != nil {
		d, durationErr := time.ParseDuration(m[6])
		if durationErr != nil {
			return wrong("%q is no number and no duration", m[6])
		}
		value = d.Seconds()
	}
	if value != value {
		return wrong("nothing is more or less than %s", m[6])
	}
	t.value = value
	if err := t.check(); err != nil {
		return wrong("%v", err)
	}
	return t, nil
}

// check finds out what the threshold is about.
func (t *Threshold) check() error {
	counts := t.figure == "transfers" || t.figure == "failed"
	memory := t.subject == "run" && (t.figure == "server_memory" || t.figure == "tester_memory")
	_, ofRepeats := repeatFigures[t.figure]
	_, ofTransfers := transferFigures[t.figure]
	switch {
	case counts || memory:
		if t.statistic != "" {
			return fmt.Errorf("%s has no statistic", t.figure)
		}
		return nil
	case t.subject == "run" && !ofRepeats, t.subject != "run" && !ofTransfers:
		return fmt.Errorf("%s has no figure %q", t.subject, t.figure)
	case t.subject == "run":
		if _, found := statistics[t.statistic]; !found {
			return fmt.Errorf("%q is none of median, mean, std_dev, min, max", t.statistic)
		}
		return nil
	}
	if p, found := strings.CutPrefix(t.statistic, "p"); found {
		percentile, err := strconv.ParseFloat(p, 64)
		if err != nil || percentile > 100 {
			return fmt.Errorf("%q is no percentile", t.statistic)
		}
		t.percentile = percentile
		return nil
	}
	if t.statistic != "min" && t.statistic != "mean" && t.statistic != "max" {
		return fmt.Errorf("%q is none of min, mean, max, p0 to p100", t.statistic)
	}
	return nil
}

var (
	repeatFigures = map[string]func(Summary) Stats{
		"mbps":       func(s Summary) Stats { return s.MBPerSecond },
		"seconds":    func(s Summary) Stats { return s.Seconds },
		"per_second": func(s Summary) Stats { return s.PerSecond },
		"server_cpu": func(s Summary) Stats { return s.ServerCPUPerGB },
		"tester_cpu": func(s Summary) Stats { return s.TesterCPUPerGB },
	}
	statistics = map[string]func(Stats) float64{
		"median":  func(s Stats) float64 { return s.Median },
		"mean":    func(s Stats) float64 { return s.Mean },
		"std_dev": func(s Stats) float64 { return s.StdDev },
		"min":     func(s Stats) float64 { return s.Min },
		"max":     func(s Stats) float64 { return s.Max },
	}
	transferFigures = map[string]func(*Group) *distribution{
		"mbps":       func(g *Group) *distribution { return &g.Rate },
		"latency":    func(g *Group) *distribution { return &g.Latency },
		"first_byte": func(g *Group) *distribution { return &g.FirstByte },
		"finish":     func(g *Group) *distribution { return &g.Finish },
		"delay":      func(g *Group) *distribution { return &g.Delay },
	}
)

// finding is what a threshold came to.
type finding struct {
	Threshold string  `json:"threshold"`
	Of        string  `json:"of"`
	Value     float64 `json:"value"`
	Known     bool    `json:"known"` // there was something to hold against it
	Held      bool    `json:"held"`
}

// Hold holds the thresholds against what the report has so far, shows what they
// come to, and lets [Report.Err] tell of those that are missed. A threshold for
// which there is no figure is missed.
func (r *Report) Hold(thresholds []Threshold) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range thresholds {
		before := len(r.findings)
		for _, side := range r.sides() {
			if t.side == "" || t.side == side.name {
				r.findings = append(r.findings, t.hold(side.name, side.run)...)
			}
		}
		if len(r.findings) == before {
			r.findings = append(r.findings, finding{Threshold: t.text})
		}
	}
}

// sides returns the runs with the names that thresholds call them by.
func (r *Report) sides() []namedRun {
	if r.comparison != nil {
		return []namedRun{{"a", r.comparison.A}, {"b", r.comparison.B}}
	}
	if r.run != nil {
		return []namedRun{{"", r.run}}
	}
	return nil
}

func (t Threshold) hold(side string, run *Run) []finding {
	if t.subject == "run" {
		value, known := t.ofRun(run)
		return []finding{t.finding(side, "run", value, known)}
	}
	var all []finding
	for _, g := range run.Groups() {
		if g.Scenario == t.subject {
			value, known := t.ofGroup(g)
			all = append(all, t.finding(side, g.name(), value, known))
		}
	}
	return all
}

func (t Threshold) ofRun(run *Run) (value float64, known bool) {
	s := run.Summary()
	switch t.figure {
	case "transfers":
		return float64(run.transfers), true
	case "failed":
		return float64(run.transfers - run.succeeded), true
	case "server_memory":
		return float64(s.ServerPeakRSS) / 1e6, s.ServerPeakRSS > 0
	case "tester_memory":
		return float64(s.TesterPeakRSS) / 1e6, s.TesterPeakRSS > 0
	}
	stats := repeatFigures[t.figure](s)
	known = stats.N > 0
	if t.figure == "server_cpu" || t.figure == "tester_cpu" {
		known = stats.Max > 0 // or else it wasn't read
	}
	return statistics[t.statistic](stats), known
}

func (t Threshold) ofGroup(g *Group) (value float64, known bool) {
	switch t.figure {
	case "transfers":
		return float64(g.Transfers), true
	case "failed":
		return float64(g.Failed), true
	}
	d := transferFigures[t.figure](g)
	switch t.statistic {
	case "min":
		value = d.percentile(0)
	case "mean":
		value = d.mean()
	case "max":
		value = d.percentile(100)
	default:
		value = d.percentile(t.percentile)
	}
	return value, d.n() > 0
}

func (t Threshold) finding(side, of string, value float64, known bool) finding {
	if side != "" {
		of = side + "/" + of
	}
	return finding{Threshold: t.text, Of: of, Value: value, Known: known, Held: known && t.holds(value)}
}

func (t Threshold) holds(value float64) bool {
	switch t.operator {
	case "<":
		return value < t.value
	case "<=":
		return value <= t.value
	case ">":
		return value > t.value
	case ">=":
		return value >= t.value
	case "==":
		return value == t.value
	default:
		return value != t.value
	}
}

// thresholdSection shows what the thresholds came to.
func thresholdSection(findings []finding) Section {
	t := &Table{Columns: []string{"threshold", "of", "value", ""}}
	for _, f := range findings {
		value, verdict := strconv.FormatFloat(f.Value, 'g', 6, 64), "held"
		if !f.Held {
			verdict = "MISSED"
		}
		if !f.Known {
			value = "unknown"
		}
		t.Add(f.Threshold, f.Of, value, verdict)
	}
	return Section{Title: "Thresholds", Table: t}
}

// missed returns an error that wraps [ErrMissed] if a threshold is missed.
func missed(findings []finding) error {
	var texts []string
	for _, f := range findings {
		switch {
		case !f.Known:
			texts = append(texts, f.Threshold+" (unknown)")
		case !f.Held:
			texts = append(texts, fmt.Sprintf("%s (%.6g)", f.Threshold, f.Value))
		}
	}
	if texts == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrMissed, strings.Join(texts, ", "))
}
