package report

import "sluice/loadtest/record"

// groupKey is what the transfers of a group have in common.
type groupKey struct {
	label     string
	scenario  string
	direction record.Direction
}

// maxGroups bounds the groups of a run, each of which takes about a megabyte.
// Transfers past it are counted in the last one, whose label says so.
const (
	maxGroups   = 200
	othersLabel = "others"
)

// Group is the transfers of one kind at one point of a sweep.
type Group struct {
	Label     string           `json:"label,omitempty"`
	Scenario  string           `json:"scenario"`
	Direction record.Direction `json:"direction"`
	// Transfers counts all, Failed those that failed, and Bytes what the others
	// moved.
	Transfers int64 `json:"transfers"`
	Failed    int64 `json:"failed"`
	Bytes     int64 `json:"bytes"`
	// Errors counts the failed ones by kind.
	Errors map[string]int64 `json:"errors,omitempty"`

	// The distributions over the transfers that succeeded. Latency counts from when
	// a transfer was due, so that a server that stalls can't hide what waits.
	Rate      distribution `json:"mb_per_second"`
	Latency   distribution `json:"latency_seconds"`
	FirstByte distribution `json:"first_byte_seconds"`
	Finish    distribution `json:"finish_seconds"`
	Delay     distribution `json:"start_delay_seconds"`
}

func newGroup(key groupKey) *Group {
	return &Group{
		Label: key.label, Scenario: key.scenario, Direction: key.direction,
		Errors: map[string]int64{},
		Rate:   distribution{unit: bytesOfMB}, Latency: distribution{unit: microseconds},
		FirstByte: distribution{unit: microseconds}, Finish: distribution{unit: microseconds},
		Delay: distribution{unit: microseconds},
	}
}

func (g *Group) add(t *record.Transfer) {
	g.Transfers++
	if t.Error != nil {
		g.Failed++
		g.Errors[string(t.Error.Kind)]++
		return
	}
	g.Bytes += t.Bytes
	late := max(0, t.Start-t.Due)
	g.Latency.add(late + t.Seconds)
	g.Delay.add(late)
	if t.Seconds > 0 && t.Bytes > 0 {
		g.Rate.add(float64(t.Bytes) / 1e6 / t.Seconds)
	}
	if t.FirstByte > 0 {
		g.FirstByte.add(t.FirstByte)
	}
	if t.Finish > 0 {
		g.Finish.add(t.Finish)
	}
}

// figure is a distribution with the words for it.
type figure struct {
	name, unit string
	values     *distribution
}

// figures returns the distributions that there are, and leaves out those which
// say nothing: of delays where nothing was late.
func (g *Group) figures() []figure {
	all := []figure{
		{"rate", "MB/s", &g.Rate},
		{"latency", "s", &g.Latency},
		{"first byte", "s", &g.FirstByte},
		{"finish", "s", &g.Finish},
		{"start delay", "s", &g.Delay},
	}
	var some []figure
	for _, f := range all {
		if f.values.n() > 0 && (f.values != &g.Delay || g.Delay.max > 0) {
			some = append(some, f)
		}
	}
	return some
}

// name says which transfers these are.
func (g *Group) name() string {
	if g.Label == "" {
		return g.Scenario
	}
	return g.Scenario + " " + g.Label
}
