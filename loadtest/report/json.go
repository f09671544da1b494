package report

import (
	"encoding/json"
	"io"
	"slices"

	"sluice/loadtest/record"
)

// document is the form of a run in JSON.
type document struct {
	*record.Header
	Agents    []*record.Header         `json:"agents,omitempty"`
	Repeats   []repeat                 `json:"repeats"`
	Summary   Summary                  `json:"summary"`
	Points    []Point                  `json:"points,omitempty"`
	Groups    []*Group                 `json:"groups"`
	Moments   []Moment                 `json:"moments,omitempty"`
	Metrics   *record.Metrics          `json:"server_metrics,omitempty"`
	Transfers int64                    `json:"transfers"`
	Succeeded int64                    `json:"succeeded"`
	Checked   map[record.Checked]int64 `json:"checked"`
	Failures  map[string]int           `json:"failures"`
	Examples  []string                 `json:"examples,omitempty"` // of failures
}

func (r *Run) document() document {
	d := document{
		Header: r.header, Agents: r.agents, Repeats: []repeat{}, Summary: r.Summary(), Points: r.Points(), Groups: r.Groups(),
		Metrics: r.metrics, Transfers: r.transfers, Succeeded: r.succeeded, Checked: map[record.Checked]int64{},
		Failures: r.failures, Examples: r.examples,
	}
	for checked, n := range r.checked {
		if checked == record.CheckedNot {
			checked = "not"
		}
		d.Checked[checked] = n
	}
	for _, row := range r.repeats {
		d.Repeats = append(d.Repeats, newRepeat(row))
	}
	d.Moments, _ = r.timeline.moments()
	return d
}

// extras is what a document has beside the figures of its runs.
type extras struct {
	Thresholds []finding `json:"thresholds,omitempty"`
	Sections   []Section `json:"sections,omitempty"`
}

func (r *Report) extras() extras { return extras{r.findings, slices.Concat(r.Lead, r.Sections)} }

// repeat is a row with the rates that follow from it.
type repeat struct {
	*record.Repeat
	MBPerSecond    float64 `json:"mb_per_second"`
	ServerCPUPerGB float64 `json:"server_cpu_seconds_per_gb"`
	TesterCPUPerGB float64 `json:"tester_cpu_seconds_per_gb"`
}

func newRepeat(r *record.Repeat) repeat {
	return repeat{r, r.MBPerSecond(), r.ServerCPUPerGB(), r.TesterCPUPerGB()}
}

// WriteJSON writes the report as one JSON document: of a run, or of a comparison
// with its pairs and their summary.
func (r *Report) WriteJSON(w io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	if c := r.comparison; c != nil {
		return encoder.Encode(struct {
			A       document      `json:"a"`
			B       document      `json:"b"`
			Pairs   []Pair        `json:"pairs"`
			Summary VersusSummary `json:"summary"`
			extras
		}{c.A.document(), c.B.document(), c.Pairs(), c.Summary(), r.extras()})
	}
	run := r.run
	if run == nil {
		run = newRun()
	}
	return encoder.Encode(struct {
		document
		extras
	}{run.document(), r.extras()})
}
