package loadtest

import (
	"net/url"

	"sluice/loadtest/record"
)

// mixed moves each file another way, by weights. It is also the scenarios slow,
// in which all have a bandwidth, and soak, in which the files become more until
// they are enough.
type mixed struct {
	weights Weights
	ways    map[string]scenario
	tusURL  *url.URL
	runner  *runner
}

func newMixed(p Plan) scenario {
	return &mixed{
		weights: p.Weights,
		ways:    map[string]scenario{"put": put{}, "form": form{}, "tus": tus{}, "get": &get{}},
	}
}

// prepare puts files to be downloaded, until there are those of uploads too.
func (m *mixed) prepare(s *session, r *runner) (err error) {
	m.runner = r
	if r.plan.TusURL != "" {
		if m.tusURL, err = parseTarget(r.plan.TusURL); err != nil {
			return err
		}
	}
	if m.weights.Of("get") > 0 {
		return r.fill(s)
	}
	return nil
}

func (m *mixed) run(s *session, j *job) error {
	way := m.choose(j)
	j.row.Scenario = way
	switch way {
	case "get":
		j.row.Direction = record.Down
		j.tally.all = m.runner.meter.Bytes(record.Down)
		j.object = m.runner.pick(j.draw(drawObject))
	case "tus":
		j.target = m.tusURL
	}
	return m.ways[way].run(s, j)
}

// choose returns the way of a file: once there is enough on the server, files are
// only read.
func (m *mixed) choose(j *job) string {
	if enough := m.runner.plan.Grow; enough > 0 && m.runner.made.size() >= enough {
		return "get"
	}
	return m.weights.Choose(j.draw(drawWay))
}

// pick returns one of the files on the server.
func (r *runner) pick(draw float64) stored {
	prepared := len(r.prepared)
	r.made.mu.Lock()
	defer r.made.mu.Unlock()
	number := int(draw * float64(prepared+len(r.made.whole)))
	if number < prepared {
		return r.prepared[number]
	}
	return r.made.whole[number-prepared]
}
