package main

import "github.com/grafana/grafana-foundation-sdk/go/units"

var disk = row{"Storage", []panel{
	{
		title: "Space", kind: lines, unit: units.BytesSI, width: 8, alert: "SluiceSpaceLow",
		about: "Free is what the file system takes, reserved what unfinished uploads have declared and not sent. Used and quota are there with --quota.",
		queries: []query{
			{`sluice_storage_free_bytes{instance=~"$instance"} >= 0`, "{{instance}} free"},
			{`sluice_storage_reserved_bytes{instance=~"$instance"}`, "{{instance}} reserved"},
			{`sluice_storage_used_bytes{instance=~"$instance"} and sluice_storage_quota_bytes{instance=~"$instance"} > 0`, "{{instance}} used"},
			{`sluice_storage_quota_bytes{instance=~"$instance"} > 0`, "{{instance}} quota"},
		},
	},
	{
		title: "Bytes to and from the disk", kind: stacked, unit: units.BytesPerSecondSI, width: 8,
		about:   "Direct goes past the page cache, buffered through it: small files, the ends of large ones, and downloads that the cache holds.",
		queries: []query{{`sum by (operation, path) (rate(sluice_storage_bytes_total{instance=~"$instance"}[$__rate_interval]))`, "{{operation}} {{path}}"}},
	},
	{
		title: "Faults", kind: stacked, unit: units.CountsPerSecond, width: 8, alert: "SluiceDiskFaults", quiet: "no faults",
		about:   "What the disk or a limit of the system has refused. There should be none.",
		queries: []query{{`sum by (operation, kind) (rate(sluice_storage_errors_total{instance=~"$instance"}[$__rate_interval])) > 0`, "{{operation}}: {{kind}}"}},
	},
	{
		title: "Time of a write", kind: lines, log: true, unit: units.Seconds, width: 8, alert: "SluiceSyncSlow",
		about: "Of up to a block. A direct write ends when the disk has it; a buffered one that takes long waits for the page cache to be written back.",
		queries: []query{
			{`histogram_quantile(0.5, sum by (le, path) (rate(sluice_storage_write_seconds_bucket{instance=~"$instance"}[$__rate_interval]))) >= 0`, "{{path}} median"},
			{`histogram_quantile(0.99, sum by (le, path) (rate(sluice_storage_write_seconds_bucket{instance=~"$instance"}[$__rate_interval]))) >= 0`, "{{path}} p99"},
		},
	},
	{
		title: "Time of a sync", kind: lines, log: true, unit: units.Seconds, width: 8, alert: "SluiceSyncSlow",
		about: "Every upload waits for one of its file and one of its folder before it is answered.",
		queries: []query{
			{`histogram_quantile(0.5, sum by (le, what) (rate(sluice_storage_sync_seconds_bucket{instance=~"$instance"}[$__rate_interval]))) >= 0`, "{{what}} median"},
			{`histogram_quantile(0.99, sum by (le, what) (rate(sluice_storage_sync_seconds_bucket{instance=~"$instance"}[$__rate_interval]))) >= 0`, "{{what}} p99"},
		},
	},
	{
		title: "Writes and syncs", kind: lines, unit: units.OpsPerSecond, width: 8,
		about: "How many there are.",
		queries: []query{
			{`sum by (path) (rate(sluice_storage_write_seconds_count{instance=~"$instance"}[$__rate_interval]))`, "{{path}} writes"},
			{`sum by (what) (rate(sluice_storage_sync_seconds_count{instance=~"$instance"}[$__rate_interval]))`, "{{what}} syncs"},
		},
	},
}}

var saturation = row{"Saturation", []panel{
	{
		title: "How full", kind: lines, unit: units.PercentUnit, width: 8, alert: "SluiceDescriptorsNearlySpent",
		about: "Parts of what there is at most: memory for blocks (--buffer-memory), connections (--max-connections, if set), file descriptors (of the process), space (--quota, if set).",
		queries: []query{
			{`sluice_buffer_bytes_in_use{instance=~"$instance"} / sluice_buffer_bytes_limit`, "{{instance}} block memory"},
			{`sluice_connections_open{instance=~"$instance"} / (sluice_connections_limit > 0)`, "{{instance}} connections"},
			{`process_open_fds{instance=~"$instance"} / process_max_fds`, "{{instance}} descriptors"},
			{`sluice_storage_used_bytes{instance=~"$instance"} / (sluice_storage_quota_bytes > 0)`, "{{instance}} quota"},
		},
	},
	{
		title: "Transfers that wait for memory", kind: lines, unit: units.Short, width: 8, alert: "SluiceBufferBudgetSpent",
		about:   "How many at a time, on average. More than none for long asks for a larger --buffer-memory, or fewer transfers.",
		queries: []query{{`rate(sluice_buffer_wait_seconds_total{instance=~"$instance"}[$__rate_interval])`, "{{instance}}"}},
	},
	{
		title: "CPU", kind: lines, unit: units.Short, width: 8,
		about:   "Cores that the process keeps busy.",
		queries: []query{{`rate(process_cpu_seconds_total{instance=~"$instance"}[$__rate_interval])`, "{{instance}}"}},
	},
	{
		title: "Connections", kind: lines, unit: units.Short, width: 8, alert: "SluiceConnectionsRefused",
		about:   "Open ones, whether a transfer runs on them or not.",
		queries: []query{{`sluice_connections_open{instance=~"$instance"}`, "{{instance}}"}},
	},
	{
		title: "Connections by what became of them", kind: lines, unit: units.CountsPerSecond, width: 8, alert: "SluiceConnectionsRefused",
		about: "Let in, or turned away beyond a limit: on all of them, or on those of one client.",
		queries: []query{
			{`sum(rate(sluice_connections_accepted_total{instance=~"$instance"}[$__rate_interval]))`, "let in"},
			{`sum by (limit) (rate(sluice_connections_refused_total{instance=~"$instance"}[$__rate_interval]))`, "turned away: {{limit}}"},
		},
	},
	{
		title: "Requests refused", kind: stacked, unit: units.RequestsPerSecond, width: 8,
		about:   "The ten most frequent reasons. The table of METRICS says what each means; internal is a fault of the server.",
		queries: []query{{`topk(10, sum by (reason) (rate(sluice_requests_refused_total{instance=~"$instance"}[$__rate_interval])) > 0)`, "{{reason}}"}},
	},
}}

var access = row{"Access", []panel{
	{
		title: "Credentials", kind: stacked, unit: units.CountsPerSecond, width: 8, alert: "SluiceCredentialsGuessed",
		about:   "What became of those that requests have shown. Rejected are wrong or revoked, throttled were not even looked at.",
		queries: []query{{`sum by (result) (rate(sluice_credentials_total{instance=~"$instance"}[$__rate_interval]))`, "{{result}}"}},
	},
	{
		title: "Not accepted", kind: stacked, unit: units.CountsPerSecond, width: 8, alert: "SluiceCredentialsGuessed",
		about:   "The same by the way in which they were shown.",
		queries: []query{{`sum by (method) (rate(sluice_credentials_total{instance=~"$instance", result!="accepted"}[$__rate_interval]))`, "{{method}}"}},
	},
	{
		title: "Certificate ends in", kind: number, unit: units.Seconds, width: 8, alert: "SluiceCertificateEnds", quiet: "no TLS",
		about:   "The first of those in use.",
		queries: []query{{`min(sluice_tls_certificate_not_after_timestamp_seconds{instance=~"$instance"}) - time()`, "ends in"}},
	},
}}

var tus = row{"tus", []panel{
	{
		title: "Open uploads", kind: lines, unit: units.Short, width: 8,
		about:   "Begun and not finished, whether anybody sends to them or not.",
		queries: []query{{`sluice_tus_uploads_open{instance=~"$instance"}`, "{{instance}}"}},
	},
	{
		title: "Bytes of open uploads", kind: lines, unit: units.BytesSI, width: 8, alert: "SluiceSpaceLow",
		about:   "What stands on the disk of uploads that aren't finished. --upload-expiry gives it back.",
		queries: []query{{`sluice_tus_uploads_open_bytes{instance=~"$instance"}`, "{{instance}}"}},
	},
	{
		title: "Expired, and waits for a lock", kind: lines, unit: units.CountsPerSecond, width: 8,
		about: "Expired ones were given up by their clients. Waits are clients that resume while their old connection still seems alive, or several at one upload.",
		queries: []query{
			{`sum(rate(sluice_tus_uploads_expired_total{instance=~"$instance"}[$__rate_interval]))`, "expired"},
			{`sum(rate(sluice_tus_lock_waits_total{instance=~"$instance"}[$__rate_interval]))`, "lock waits"},
		},
	},
}}

var webhooks = row{"Webhooks", []panel{
	{
		title: "Events", kind: stacked, unit: units.CountsPerSecond, width: 8, alert: "SluiceWebhookEventsLost",
		about:   "By what became of them. Expired and refused ones are lost to the receiver.",
		queries: []query{{`sum by (result) (rate(sluice_webhook_deliveries_total{instance=~"$instance"}[$__rate_interval]))`, "{{result}}"}},
	},
	{
		title: "Queue", kind: lines, unit: units.Short, width: 8, alert: "SluiceWebhookStuck",
		about:   "Events that wait to be delivered, one after the other.",
		queries: []query{{`sluice_webhook_queue_events{instance=~"$instance"}`, "{{instance}}"}},
	},
	{
		title: "Vetoes", kind: stacked, unit: units.CountsPerSecond, width: 8, alert: "SluiceWebhookStuck",
		about:   "Uploads that the veto was asked about, by its decision.",
		queries: []query{{`sum by (decision) (rate(sluice_webhook_vetoes_total{instance=~"$instance"}[$__rate_interval]))`, "{{decision}}"}},
	},
}}

var process = row{"Process", []panel{
	{
		title: "Memory", kind: lines, unit: units.BytesSI, width: 8,
		about: "Resident is what the system counts; blocks are what transfers have of it, outside the heap of Go.",
		queries: []query{
			{`process_resident_memory_bytes{instance=~"$instance"}`, "{{instance}} resident"},
			{`go_memstats_heap_inuse_bytes{instance=~"$instance"}`, "{{instance}} heap"},
			{`sluice_buffer_bytes_in_use{instance=~"$instance"}`, "{{instance}} blocks"},
		},
	},
	{
		title: "Goroutines", kind: lines, unit: units.Short, width: 8,
		about:   "Two or three for each transfer. A number that only rises is a leak.",
		queries: []query{{`go_goroutines{instance=~"$instance"}`, "{{instance}}"}},
	},
	{
		title: "Garbage collection", kind: lines, unit: units.PercentUnit, width: 8,
		about:   "Part of the time in which the program stood still for it.",
		queries: []query{{`rate(go_gc_duration_seconds_sum{instance=~"$instance"}[$__rate_interval])`, "{{instance}}"}},
	},
	{
		title: "What runs", kind: list, unit: units.Seconds, width: 24, alert: "SluiceNotReady",
		about: "Versions, how long each has been up, and whether it takes new transfers.",
		queries: []query{
			{`sum by (instance) (time() - process_start_time_seconds{instance=~"$instance"})`, "up"},
			{`sum by (instance, version, revision, goversion) (sluice_build_info{instance=~"$instance"})`, "running"},
			{`sum by (instance) (sluice_ready{instance=~"$instance"})`, "ready"},
			{`sum by (instance) (sluice_config_last_reload_successful{instance=~"$instance"})`, "last reload taken"},
		},
	},
}}
