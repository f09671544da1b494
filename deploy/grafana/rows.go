package main

import "github.com/grafana/grafana-foundation-sdk/go/units"

// rows is the dashboard, from the top: what is wrong, for whom, why, and how the
// server and what it stands on are. $instance and $protocol are what the reader has
// chosen.
var rows = []row{overview, running, speed, stages, slowest, disk, saturation, access, tus, webhooks, process}

var overview = row{"Overview", []panel{
	{
		title: "Coming in", kind: number, unit: units.BytesPerSecondSI, width: 4, alert: "SluiceThroughputCollapsed",
		about:   "Body bytes of uploads, counted as they move.",
		queries: []query{{`sum(rate(sluice_transfer_bytes_total{instance=~"$instance", protocol=~"$protocol", direction="upload"}[$__rate_interval]))`, "uploads"}},
	},
	{
		title: "Going out", kind: number, unit: units.BytesPerSecondSI, width: 4, alert: "SluiceThroughputCollapsed",
		about:   "Body bytes of downloads, counted as they move.",
		queries: []query{{`sum(rate(sluice_transfer_bytes_total{instance=~"$instance", protocol=~"$protocol", direction="download"}[$__rate_interval]))`, "downloads"}},
	},
	{
		title: "In flight", kind: number, unit: units.Short, width: 4, alert: "SluiceTransfersStuck",
		about:   "Transfers running now.",
		queries: []query{{`sum(sluice_transfers_in_flight{instance=~"$instance", protocol=~"$protocol"})`, "transfers"}},
	},
	{
		title: "Failed", kind: number, unit: units.PercentUnit, width: 4, alert: "SluiceTransfersFail",
		about: "Share of the transfers that ended which the server itself has failed. Clients that leave, fall silent or are refused are none of these.",
		queries: []query{{`sum(rate(sluice_transfers_finished_total{instance=~"$instance", protocol=~"$protocol", result="failed"}[$__rate_interval]))` +
			` / (sum(rate(sluice_transfers_finished_total{instance=~"$instance", protocol=~"$protocol"}[$__rate_interval])) > 0) or vector(0)`, "failed"}},
	},
	{
		title: "Free space", kind: number, unit: units.BytesSI, width: 4, alert: "SluiceSpaceLow",
		about:   "What the fullest of the roots' file systems still takes.",
		queries: []query{{`min(sluice_storage_free_bytes{instance=~"$instance"} >= 0)`, "free"}},
	},
	{
		title: "Alerts", kind: number, unit: units.Short, width: 4,
		about:   "Alerts of sluice that fire now.",
		queries: []query{{`count(ALERTS{alertname=~"Sluice.*", alertstate="firing", instance=~"$instance"}) or vector(0)`, "firing"}},
	},
	{
		title: "Throughput", kind: stacked, unit: units.BytesPerSecondSI, width: 12, alert: "SluiceThroughputCollapsed",
		about:   "Body bytes by direction and protocol.",
		queries: []query{{`sum by (direction, protocol) (rate(sluice_transfer_bytes_total{instance=~"$instance", protocol=~"$protocol"}[$__rate_interval]))`, "{{direction}} {{protocol}}"}},
	},
	{
		title: "Transfers ended", kind: stacked, unit: units.CountsPerSecond, width: 12, alert: "SluiceTransfersFail",
		about:   "By result: aborted and timeout are clients that left or fell silent, refused are 4xx after a transfer had begun, failed is the server's own fault.",
		queries: []query{{`sum by (result) (rate(sluice_transfers_finished_total{instance=~"$instance", protocol=~"$protocol"}[$__rate_interval]))`, "{{result}}"}},
	},
}}

var running = row{"Running transfers", []panel{
	{
		title: "Running now, slowest first", kind: list, unit: units.BytesPerSecondSI, width: 16, alert: "SluiceTransfersStuck",
		about:   "The oldest running transfers, as many as --metrics-live-transfers. The id leads to the name in /api/v1/transfers and in the log.",
		queries: []query{{`sum by (client, direction, protocol, id, instance) (sluice_transfer_rate_bytes_per_second{instance=~"$instance", protocol=~"$protocol"})`, "rate"}},
	},
	{
		title: "In flight", kind: stacked, unit: units.Short, width: 8, alert: "SluiceTransfersStuck",
		about:   "Running transfers by direction and protocol.",
		queries: []query{{`sum by (direction, protocol) (sluice_transfers_in_flight{instance=~"$instance", protocol=~"$protocol"})`, "{{direction}} {{protocol}}"}},
	},
}}

var speed = row{"Speed", []panel{
	{
		title: "Rates of uploads", kind: heat, unit: units.BytesPerSecondSI, width: 12, alert: "SluiceThroughputCollapsed",
		about:   "Mean rates of the uploads that ended ok. Two bands are two kinds of clients or files.",
		queries: []query{{`sum by (le) (increase(sluice_transfer_bytes_per_second_bucket{instance=~"$instance", protocol=~"$protocol", direction="upload"}[$__rate_interval]))`, "{{le}}"}},
	},
	{
		title: "Rates of downloads", kind: heat, unit: units.BytesPerSecondSI, width: 12, alert: "SluiceThroughputCollapsed",
		about:   "Mean rates of the downloads that ended ok.",
		queries: []query{{`sum by (le) (increase(sluice_transfer_bytes_per_second_bucket{instance=~"$instance", protocol=~"$protocol", direction="download"}[$__rate_interval]))`, "{{le}}"}},
	},
	{
		title: "Rate by size of the file", kind: lines, log: true, unit: units.BytesPerSecondSI, width: 8, alert: "SluiceThroughputCollapsed",
		about: "The mean of transfers that ended ok: small is below 1 MiB, medium below 64 MiB, large below 1 GiB. Small ones cost a sync each and are slow by that.",
		queries: []query{{`sum by (direction, size) (rate(sluice_transfer_bytes_per_second_sum{instance=~"$instance", protocol=~"$protocol"}[$__rate_interval]))` +
			` / (sum by (direction, size) (rate(sluice_transfer_bytes_per_second_count{instance=~"$instance", protocol=~"$protocol"}[$__rate_interval])) > 0)`, "{{direction}} {{size}}"}},
	},
	{
		title: "Duration by size of the file", kind: lines, log: true, unit: units.Seconds, width: 8, alert: "SluiceSyncSlow",
		about:   "One in ten transfers took longer than this, from the first byte to the answer.",
		queries: []query{{`histogram_quantile(0.9, sum by (le, direction, size) (rate(sluice_transfer_duration_seconds_bucket{instance=~"$instance", protocol=~"$protocol"}[$__rate_interval]))) >= 0`, "{{direction}} {{size}}"}},
	},
	{
		title: "Sizes", kind: lines, log: true, unit: units.BytesSI, width: 8,
		about: "What transfers move: half of them less than the median, one in a hundred more than p99.",
		queries: []query{
			{`histogram_quantile(0.5, sum by (le, direction) (rate(sluice_transfer_size_bytes_bucket{instance=~"$instance", protocol=~"$protocol"}[$__rate_interval]))) >= 0`, "{{direction}} median"},
			{`histogram_quantile(0.99, sum by (le, direction) (rate(sluice_transfer_size_bytes_bucket{instance=~"$instance", protocol=~"$protocol"}[$__rate_interval]))) >= 0`, "{{direction}} p99"},
		},
	},
}}

var stages = row{"Where the time goes", []panel{
	{
		title: "Uploads", kind: share, unit: units.Seconds, width: 12, alert: "SluiceThroughputCollapsed",
		about: "Shares of the time of uploads that ended: socket is waiting for the client, buffer for a free block (the disk is slower than the client, or memory is spent), disk is writing, sync making durable. " +
			"Mostly socket is a slow client or network, mostly disk or sync a slow disk.",
		queries: []query{{`sum by (stage) (rate(sluice_transfer_stage_seconds_total{instance=~"$instance", protocol=~"$protocol", direction="upload"}[$__rate_interval]))`, "{{stage}}"}},
	},
	{
		title: "Downloads", kind: share, unit: units.Seconds, width: 12, alert: "SluiceThroughputCollapsed",
		about:   "The same of downloads: socket is waiting for the client to take bytes, buffer too where what has been read waits for it, disk is reading.",
		queries: []query{{`sum by (stage) (rate(sluice_transfer_stage_seconds_total{instance=~"$instance", protocol=~"$protocol", direction="download"}[$__rate_interval]))`, "{{stage}}"}},
	},
}}

var slowest = row{"Slowest clients and protocols", []panel{
	{
		title: "Slowest clients now", kind: list, unit: units.BytesPerSecondSI, width: 12, alert: "SluiceTransfersStuck",
		about: "Of the clients with running transfers those that move least, and how many transfers each has.",
		queries: []query{
			{`bottomk(10, sum by (client) (sluice_transfer_rate_bytes_per_second{instance=~"$instance", protocol=~"$protocol"}))`, "rate"},
			{`count by (client) (sluice_transfer_rate_bytes_per_second{instance=~"$instance", protocol=~"$protocol"})`, "running"},
		},
	},
	{
		title: "Slowest transfers by protocol", kind: lines, unit: units.BytesPerSecondSI, width: 12, alert: "SluiceThroughputCollapsed",
		about:   "One in ten transfers was slower than this. Files below 1 MiB are left out: their time is a sync.",
		queries: []query{{`histogram_quantile(0.1, sum by (le, direction, protocol) (rate(sluice_transfer_bytes_per_second_bucket{instance=~"$instance", protocol=~"$protocol", size!="small"}[$__rate_interval]))) >= 0`, "{{direction}} {{protocol}}"}},
	},
}}
