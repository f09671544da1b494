package arrows_test

// rooms is the place of every package of the module, from the outside in.
var rooms = []room{
	{
		path:    "cmd/sluice",
		imports: []string{"config", "internal/auth", "internal/doctor", "internal/top", "loadtest", "loadtest/agent", "loadtest/experiment", "loadtest/live", "loadtest/payload", "loadtest/record", "loadtest/report", "server"},
		reason:  "the command parses, wires and runs, and leaves all else to the server and the load tester.",
	},
	{
		path:   "e2e",
		reason: "the end-to-end tests know the program only from outside, as its users do.",
	},
	{
		path:   "bench",
		reason: "the benchmark runs the built program beside its peers and knows it only from outside.",
	},
	{
		path:   "release",
		reason: "the release packs the program and knows it only from outside.",
	},
	{
		path:    "loadtest",
		imports: []string{"loadtest/pace", "loadtest/payload", "loadtest/record", "loadtest/spark"},
		tests:   []string{"loadtest/report"},
		reason:  "the load tester is a black box client: what it shares with the server, it cannot test. What its rows come to is not its business.",
	},
	{
		path:   "loadtest/pace",
		reason: "when and how fast is arithmetic, and doesn't depend on what moves.",
	},
	{
		path:   "loadtest/payload",
		reason: "content and lengths of generated files don't depend on how they move.",
	},
	{
		path:   "loadtest/record",
		reason: "rows are plain values: they know neither how work is done nor what is computed from them.",
	},
	{
		path:    "loadtest/agent",
		imports: []string{"loadtest", "loadtest/record"},
		tests:   []string{"loadtest/payload", "loadtest/report"},
		reason:  "agents pass on work and rows: they leave the doing to the tester, and what comes of it to reports.",
	},
	{
		path:    "loadtest/experiment",
		imports: []string{"loadtest", "loadtest/payload", "loadtest/record", "loadtest/report"},
		reason:  "the experiments are presets: how work is done and reported is no concern of theirs.",
	},
	{
		path:    "loadtest/live",
		imports: []string{"loadtest/record"},
		reason:  "live numbers come from rows, as reports do.",
	},
	{
		path:    "loadtest/report",
		imports: []string{"loadtest/record", "loadtest/spark"},
		reason:  "reports come from rows alone, so that a run can be read again.",
	},
	{
		path:   "config",
		reason: "the settings are plain values and do not know what they set.",
	},
	{
		path: "server",
		imports: []string{
			"config", "handlers", "storage", "storage/local",
			"internal/auth", "internal/blocks", "internal/certs", "internal/forwarded", "internal/framing", "internal/hooks", "internal/metrics", "internal/multipart", "internal/tracing", "internal/transfer",
			"web",
		},
		reason: "the server wires all parts of the service, and neither the command nor the load tester is one.",
	},
	{
		path:    "handlers",
		imports: []string{"storage", "internal/auth", "internal/forwarded", "internal/framing", "internal/hooks", "internal/multipart", "internal/transfer", "web"},
		tests:   []string{"storage/local", "internal/blocks"},
		reason:  "the handlers see storage as a contract and take their options from the server.",
	},
	{
		path:   "storage",
		leaf:   true,
		reason: "the contract of storage knows nobody who uses or keeps it.",
	},
	{
		path:    "storage/storagetest",
		imports: []string{"storage"},
		leaf:    true,
		reason:  "the behaviour suite runs on any store, so it knows the contract alone.",
	},
	{
		path:    "storage/local",
		imports: []string{"storage", "internal/blocks"},
		tests:   []string{"storage/storagetest"},
		leaf:    true,
		reason:  "the store moves bytes from any reader to the disk and knows no protocol, transfer or metric.",
	},
	{
		path:    "internal/metrics",
		imports: []string{"internal/auth", "internal/blocks", "internal/hooks", "internal/transfer"},
		tests:   []string{"handlers"},
		reason:  "the metrics read counters of leaves; nobody calls them on the way of a byte.",
	},
	{
		path:   "web",
		leaf:   true,
		reason: "the page is files and a template: how they are answered with is the handlers' to know.",
	},
	{path: "internal/arrows", leaf: true, reason: leafReason},
	{path: "internal/auth", leaf: true, reason: leafReason},
	{path: "internal/blocks", leaf: true, reason: leafReason},
	{path: "internal/certs", leaf: true, reason: leafReason},
	{path: "internal/doctor", leaf: true, reason: "the doctor comes from outside: what it shares with the server, it cannot examine."},
	{path: "internal/forwarded", leaf: true, reason: leafReason},
	{path: "internal/framing", leaf: true, reason: leafReason},
	{
		path: "internal/hooks", leaf: true,
		tests:  []string{"storage/local", "internal/blocks"},
		reason: leafReason,
	},
	{path: "loadtest/spark", leaf: true, reason: leafReason},
	{path: "internal/multipart", leaf: true, reason: leafReason},
	{
		path:   "internal/top",
		reason: "the live view is a black box client, which shows any server of whatever version.",
	},
	{
		path:    "internal/tracing",
		imports: []string{"internal/transfer"},
		reason:  "spans are made of the records of transfers, and nobody calls them on the way of a byte.",
	},
	{path: "internal/transfer", leaf: true, reason: leafReason},
}

const leafReason = "a leaf imports nothing of the module, so that it can be understood and tested alone."

// leafLibraries is what leaves may import of other modules.
var leafLibraries = []string{
	"github.com/cenkalti/backoff",
	"github.com/dustin/go-humanize",
	"github.com/go-jose/go-jose",
	"github.com/minio/crc64nvme",
	"golang.org/x/crypto/acme",
	"golang.org/x/sys",
	"golang.org/x/time",
}

// leafTestLibraries is what only their tests may.
var leafTestLibraries = []string{
	"github.com/standard-webhooks/standard-webhooks",
	"go.uber.org/goleak",
}

// libraries is who may import what every part of the program would else come to depend on.
var libraries = []library{
	{
		"github.com/gofiber/fiber", []string{"server", "handlers"},
		"the HTTP framework stays at the edge: its strings alias memory that it reuses.",
	},
	{
		"github.com/valyala/fasthttp", []string{"server", "handlers"},
		"the HTTP engine stays at the edge, and the load tester must not share its faults.",
	},
	{
		"github.com/dunglas/httpsfv", []string{"handlers"},
		"the grammar of header fields is the edge's: storage has digests, not fields.",
	},
	{
		"net/http", []string{"server", "handlers", "loadtest", "loadtest/agent", "loadtest/live", "internal/auth", "internal/certs", "internal/doctor", "internal/hooks", "internal/metrics", "internal/top", "internal/tracing", "cmd/sluice", "e2e"},
		"storage and leaves know no HTTP: they serve whatever protocol comes. Hooks are HTTP themselves, and issuers publish their keys by it.",
	},
	{
		"github.com/go-jose/go-jose", []string{"internal/auth", "server", "e2e"},
		"what is taken for a credential is decided in one place; tests make their own.",
	},
	{
		"github.com/cenkalti/backoff", []string{"internal/hooks"},
		"one part of the program tries again by itself; all else is its clients' to repeat.",
	},
	{
		"github.com/standard-webhooks/standard-webhooks", []string{"internal/hooks", "e2e"},
		"tests check signatures by another's code than the one that makes them.",
	},
	{
		"golang.org/x/crypto/acme", []string{"internal/certs"},
		"certificates come from one place, wherever they come from.",
	},
	{
		"github.com/tus/tusd", []string{"handlers"},
		"tus is one of the ways in: storage resumes uploads without knowing it.",
	},
	{
		"github.com/dunglas/httpsfv", []string{"handlers"},
		"structured fields are syntax of HTTP, which stays at the edge.",
	},
	{
		"github.com/prometheus", []string{"internal/metrics", "server", "loadtest", "loadtest/live", "e2e"},
		"parts count in plain numbers, which one package turns into metrics.",
	},
	{
		"go.uber.org/zap", []string{"cmd/sluice", "server", "handlers"},
		"only those who know what an event means to the operator log it; all others return errors.",
	},
	{
		"github.com/Shopify/toxiproxy", []string{"e2e"},
		"bad networks are for tests, between real processes.",
	},
	{
		"github.com/klauspost/compress", []string{"loadtest/record"},
		"what is served is stored as it came; the load tester's records alone are compressed.",
	},
	{
		"github.com/jszwec/csvutil", []string{"loadtest/record"},
		"rows become columns in one place.",
	},
	{
		"github.com/HdrHistogram", []string{"loadtest/report"},
		"the load tester records values, and only its reports sum them up.",
	},
	{
		"golang.org/x/perf", []string{"loadtest/report"},
		"statistics and charts are the reports' business.",
	},
	{
		"gonum.org/v1", []string{"loadtest/report"},
		"statistics and charts are the reports' business.",
	},
	{
		"go.opentelemetry.io", []string{"internal/tracing", "e2e"},
		"what a trace looks like is decided in one place.",
	},
	{
		"charm.land/bubbletea", []string{"internal/top"},
		"a terminal is drawn in one place.",
	},
	{
		"github.com/charmbracelet", []string{"internal/top", "cmd/sluice"},
		"a terminal is drawn in one place; the command only asks whether there is one.",
	},
	{
		"github.com/spf13", []string{"cmd/sluice", "config"},
		"the command line is parsed in one place.",
	},
	{
		"github.com/knadh/koanf", []string{"config"},
		"settings come through one door.",
	},
}
