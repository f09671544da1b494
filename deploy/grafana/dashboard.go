package main

import (
	"encoding/json"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// row is a row of the dashboard and its panels, from left to right.
type row struct {
	title  string
	panels []panel
}

// render returns the dashboard as Grafana reads it.
func render() ([]byte, error) {
	//lint:ignore SA1019 Every Grafana reads this model, and only the newest ones version 2.
	builder := dashboard.NewDashboardBuilder("sluice").
		Uid("sluice").
		Description("Who is slow, why, and what to do. Each alert and each panel that goes with one leads to its section of the runbook.").
		Tags([]string{"sluice"}).
		Readonly().
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Refresh("30s").
		Time("now-1h", "now").
		Timezone(common.TimeZoneBrowser).
		Link(dashboard.NewDashboardLinkBuilder("Runbook").
			Type(dashboard.DashboardLinkTypeLink).Icon("doc").Url(runbooks).TargetBlank(true)).
		WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus")).
		WithVariable(choice("instance", "Instance", "label_values(sluice_build_info, instance)")).
		WithVariable(choice("protocol", "Protocol", `label_values(sluice_transfers_in_flight{instance=~"$instance"}, protocol)`)).
		WithVariable(dashboard.NewTextBoxVariableBuilder("runbooks").Label("Runbook at").
			Description("Where docs/OPERATIONS.md can be read.").
			DefaultValue(dashboard.StringOrMap{String: new("docs/OPERATIONS.md")}))
	for _, row := range rows {
		builder.WithRow(dashboard.NewRowBuilder(row.title))
		for _, panel := range row.panels {
			builder.WithPanel(panel.build())
		}
	}
	model, err := builder.Build()
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(model, "", "  ")
	return append(text, '\n'), err
}

// runbooks is where the runbook is, as a variable that readers can set.
const runbooks = "${runbooks}"

// datasource is the one that the reader has chosen.
func datasource() common.DataSourceRef {
	return common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}
}

// choice lets the reader choose some or all values of a label.
func choice(name, label, query string) *dashboard.QueryVariableBuilder {
	all := dashboard.VariableOption{
		Text:  dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}},
		Value: dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}},
	}
	return dashboard.NewQueryVariableBuilder(name).
		Label(label).
		Datasource(datasource()).
		Query(dashboard.StringOrMap{String: &query}).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).
		Sort(dashboard.VariableSortAlphabeticalAsc).
		Multi(true).IncludeAll(true).AllValue(".*").Current(all)
}
