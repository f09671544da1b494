package report

import "slices"

// Section is one part of a report, in a form that every format can show.
type Section struct {
	Title string   `json:"title"`
	Lines []string `json:"lines,omitempty"` // of text, shown before the table
	Table *Table   `json:"table,omitempty"`
	// Charts are shown by the formats that can.
	Charts []Chart `json:"-"`
}

// Table has a head of columns and rows of as many cells. The first column is
// words, the others are numbers.
type Table struct {
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// sections returns all that the report tells, in its order.
func (r *Report) sections() []Section {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Clone(r.Lead)
	if r.run != nil {
		all = append(all, r.run.sections()...)
	}
	if r.comparison != nil {
		all = append(all, r.comparison.sections()...)
	}
	if len(r.findings) > 0 {
		all = append(all, thresholdSection(r.findings))
	}
	return append(all, r.Sections...)
}

func (r *Run) sections() []Section {
	all := []Section{{Title: r.title(), Lines: r.describeAgents(), Table: r.repeatTable(), Charts: r.repeatCharts()}}
	if points := r.Points(); len(points) > 0 {
		all = append(all, sweepSection(points))
		if section, ok := r.rateSection(); ok {
			all = append(all, section)
		}
		if section, ok := r.lineSection(); ok {
			all = append(all, section)
		}
	}
	if table := r.transferTable(); table != nil {
		all = append(all, Section{Title: "Transfers", Table: table, Charts: r.transferCharts()})
	}
	if moments, ends := r.timeline.moments(); len(moments) > 1 {
		all = append(all, timeSection(moments, ends))
	}
	if r.metrics != nil {
		all = append(all, r.metricsSection())
	}
	return append(all, Section{Title: "Outcome", Lines: r.outcome()})
}
