package main

import (
	"cmp"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// kind is how a panel draws.
type kind int

const (
	lines   kind = iota // over time
	stacked             // lines on top of each other, whose sum means something
	share               // the same as parts of a whole
	number              // the value now, with its way there behind it
	list                // a table of what there is now
	heat                // a distribution over time
)

// panel is one panel.
type panel struct {
	title string
	about string // what the reader sees, and what it means if it looks wrong
	kind  kind
	unit  string // one of the SDK's units
	width uint32 // of 24
	log   bool   // each step up the axis is ten times as much
	// alert is the one that goes with it: its section of the runbook is linked.
	alert string
	// quiet is what stands there without data, where that is usual.
	quiet   string
	queries []query
}

// query is an expression and how its series are called. In a list, the legend is
// the name of the column.
type query struct{ expr, legend string }

const (
	tall  = 8
	short = 4
)

func (p panel) build() cog.Builder[dashboard.Panel] {
	switch p.kind {
	case number:
		return p.number()
	case list:
		return p.list()
	case heat:
		return p.heat()
	}
	return p.lines()
}

func (p panel) lines() *timeseries.PanelBuilder {
	b := timeseries.NewPanelBuilder().
		Title(p.title).Description(p.about).Unit(p.unit).
		Datasource(datasource()).Targets(p.targets(prometheus.PromQueryFormatTimeSeries)).Links(p.links()).
		Span(p.width).Height(tall).NoValue(p.noValue()).
		LineWidth(1).FillOpacity(10).ShowPoints(common.VisibilityModeNever).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending)).
		Legend(common.NewVizLegendOptionsBuilder().
			DisplayMode(common.LegendDisplayModeTable).Placement(common.LegendPlacementBottom).ShowLegend(true).
			Calcs([]string{"lastNotNull", "max"}))
	if p.log {
		b.ScaleDistribution(common.NewScaleDistributionConfigBuilder().Type(common.ScaleDistributionLog).Log(10))
	} else {
		b.Min(0)
	}
	switch p.kind {
	case stacked:
		b.FillOpacity(60).Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal))
	case share:
		b.FillOpacity(60).Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModePercent))
	}
	return b
}

func (p panel) number() *stat.PanelBuilder {
	return stat.NewPanelBuilder().
		Title(p.title).Description(p.about).Unit(p.unit).
		Datasource(datasource()).Targets(p.targets(prometheus.PromQueryFormatTimeSeries)).Links(p.links()).
		Span(p.width).Height(short).NoValue(p.noValue()).
		GraphMode(common.BigValueGraphModeArea).ColorMode(common.BigValueColorModeNone).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
}

// noValue is what stands there without data.
func (p panel) noValue() string { return cmp.Or(p.quiet, "no data") }

// list shows the last value of each series, with its labels as columns.
func (p panel) list() *table.PanelBuilder {
	b := table.NewPanelBuilder().
		Title(p.title).Description(p.about).
		Datasource(datasource()).Targets(p.targets(prometheus.PromQueryFormatTable)).Links(p.links()).
		Span(p.width).Height(tall).ShowHeader(true).
		Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{"sum"})).
		WithTransformation(dashboard.DataTransformerConfig{Id: "merge", Options: map[string]any{}}).
		WithTransformation(dashboard.DataTransformerConfig{Id: "organize", Options: map[string]any{
			"excludeByName": map[string]bool{"Time": true, "__name__": true, "job": true},
			"renameByName":  p.columns(),
		}}).
		OverrideByName(p.queries[0].legend, []dashboard.DynamicConfigValue{{Id: "unit", Value: p.unit}})
	return b.SortBy([]cog.Builder[common.TableSortByFieldState]{
		common.NewTableSortByFieldStateBuilder().DisplayName(p.queries[0].legend).Desc(false),
	})
}

// columns names the columns of values, which Grafana calls after the queries.
func (p panel) columns() map[string]string {
	names := make(map[string]string)
	if len(p.queries) == 1 {
		names["Value"] = p.queries[0].legend
		return names
	}
	for i, q := range p.queries {
		names["Value #"+refID(i)] = q.legend
	}
	return names
}

// heat shows how many observations each bucket of a histogram has got.
func (p panel) heat() *heatmap.PanelBuilder {
	return heatmap.NewPanelBuilder().
		Title(p.title).Description(p.about).
		Datasource(datasource()).Targets(p.targets(prometheus.PromQueryFormatHeatmap)).Links(p.links()).
		Span(p.width).Height(tall).
		Calculate(false).
		RowsFrame(heatmap.NewRowsHeatmapOptionsBuilder().Layout(common.HeatmapCellLayoutLe)).
		YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.unit)).
		Color(heatmap.NewHeatmapColorOptionsBuilder().
			Mode(heatmap.HeatmapColorModeScheme).Scheme("Oranges").Steps(64).Exponent(0.5).
			Scale(heatmap.HeatmapColorScaleExponential).Fill("dark-orange")).
		CellGap(1).ShowLegend()
}

func (p panel) targets(format prometheus.PromQueryFormat) []cog.Builder[variants.Dataquery] {
	targets := make([]cog.Builder[variants.Dataquery], len(p.queries))
	for i, q := range p.queries {
		b := prometheus.NewDataqueryBuilder().
			RefId(refID(i)).Datasource(datasource()).Expr(q.expr).LegendFormat(q.legend).Format(format)
		if p.kind == list {
			b.Instant()
		} else {
			b.Range()
		}
		targets[i] = b
	}
	return targets
}

func (p panel) links() []cog.Builder[dashboard.DashboardLink] {
	if p.alert == "" {
		return nil
	}
	return []cog.Builder[dashboard.DashboardLink]{
		dashboard.NewDashboardLinkBuilder("Runbook: " + p.alert).
			Type(dashboard.DashboardLinkTypeLink).Url(runbooks + "#" + anchor(p.alert)).TargetBlank(true),
	}
}

// anchor is the fragment that leads to a heading of Markdown which is one word.
func anchor(heading string) string { return strings.ToLower(heading) }

// refID is what Grafana calls a panel's queries.
func refID(i int) string { return string(rune('A' + i)) }
