package metrics_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/internal/metrics"
	"sluice/internal/transfer"
)

const docIntro = `# Metrics

<!-- Generated from internal/metrics. After a change run: go test ./internal/metrics -run Documentation -update -->

sluice serves its metrics at ` + "`/metrics`" + ` on the admin listener, in the formats that Prometheus negotiates (native histograms by protobuf).
Sizes are in bytes, times in seconds, rates in bytes per second. Beside the metrics listed here stand the usual ones of the Go runtime (` + "`go_`" + `),
the process (` + "`process_`" + `) and the scrape handler (` + "`promhttp_`" + `).

`

func TestDocumentation(t *testing.T) {
	t.Parallel()
	var doc strings.Builder
	doc.WriteString(docIntro)
	writeLabels(&doc)
	writeOverview(&doc)
	for _, d := range metrics.Definitions() {
		writeMetric(&doc, d)
	}
	compareGolden(t, "../../docs/METRICS.md", doc.String())
}

func writeLabels(doc *strings.Builder) {
	var kinds, results []string
	for _, k := range transfer.Kinds() {
		kinds = append(kinds, fmt.Sprintf("`%s` `%s`", k.Direction, k.Protocol))
	}
	for _, r := range transfer.Results() {
		results = append(results, fmt.Sprintf("`%s`", r))
	}
	fmt.Fprintf(doc, "Labels are bounded. The pairs of `direction` and `protocol` are %s; the values of `result` are %s.\n",
		strings.Join(kinds, ", "), strings.Join(results, ", "))
	doc.WriteString("All of them exist from the start with the value 0, so that `rate()` sees the first event.\n\n")
}

func writeOverview(doc *strings.Builder) {
	doc.WriteString("| metric | type | unit | labels | meaning |\n|---|---|---|---|---|\n")
	for _, d := range metrics.Definitions() {
		fmt.Fprintf(doc, "| [`%s`](#%s) | %s | %s | %s | %s |\n", d.Name, d.Name, d.Type, d.Unit, labelList(d), d.Help)
	}
}

func writeMetric(doc *strings.Builder, d metrics.Definition) {
	fmt.Fprintf(doc, "\n## %s\n\n", d.Name)
	about := strings.ToUpper(string(d.Type[:1])) + string(d.Type[1:])
	if d.Unit != "" {
		about += " in " + d.Unit
	}
	if len(d.Labels) > 0 {
		about += ", by " + labelList(d)
	}
	fmt.Fprintf(doc, "%s. %s\n", about, d.Help)
	if d.Notes != "" {
		fmt.Fprintf(doc, "\n%s\n", d.Notes)
	}
	if d.Query != "" {
		fmt.Fprintf(doc, "\n```promql\n%s\n```\n", d.Query)
	}
}

func labelList(d metrics.Definition) string {
	quoted := make([]string, len(d.Labels))
	for i, label := range d.Labels {
		quoted[i] = "`" + label + "`"
	}
	return strings.Join(quoted, ", ")
}
