package report

import (
	"math"

	"sluice/loadtest/record"
)

// spanKey tells the repeats of a run apart.
type spanKey struct {
	label        string
	pair, repeat int
}

// Moment is what happened in a stretch of time: a second, or several where a run
// is long. Agents that work at the same time are added up.
type Moment struct {
	At       float64 `json:"at"` // its end, in seconds of transferring since the first repeat
	Up       float64 `json:"up_mb_per_second"`
	Down     float64 `json:"down_mb_per_second"`
	InFlight int64   `json:"in_flight"`
	Finished int64   `json:"finished"`
	Failed   int64   `json:"failed"`
	// ServerRSS is the server's memory in bytes, 0 if it is unknown.
	ServerRSS int64 `json:"server_rss_bytes,omitempty"`
}

// MBPerSecond is the rate of both directions.
func (m Moment) MBPerSecond() float64 { return m.Up + m.Down }

// maxMoments bounds the stretches of a timeline. At twice as many they are
// joined two by two.
const maxMoments = 3600

// widest ends that, for a run can have more repeats than that.
const widest = 1 << 24

// timeline adds up rows of seconds. Repeats follow each other without the pauses
// in between.
type timeline struct {
	width int // seconds in a stretch
	order []spanKey
	spans map[spanKey][]stretch
	count int
}

type stretch struct {
	up, down, finished, failed int64
	length                     map[string]float64 // of each agent
	inFlight                   map[string]int64   // of each agent, at the end
	rss                        int64
}

// at returns the stretch of that second.
func (t *timeline) at(key spanKey, second int) *stretch {
	if t.spans == nil {
		t.spans, t.width = map[spanKey][]stretch{}, 1
	}
	second = max(0, second)
	for t.width < widest && t.count+second/t.width-len(t.spans[key]) >= 2*maxMoments {
		t.coarsen()
	}
	if _, found := t.spans[key]; !found {
		t.order = append(t.order, key)
	}
	span, index := t.spans[key], min(second/t.width, 2*maxMoments)
	for len(span) <= index {
		span = append(span, stretch{length: map[string]float64{}, inFlight: map[string]int64{}})
		t.count++
	}
	t.spans[key] = span
	return &span[index]
}

func (t *timeline) addSecond(row *record.Second) {
	s := t.at(spanKey{row.Label, row.Pair, row.Repeat}, row.Second)
	s.up += row.Up
	s.down += row.Down
	s.finished += row.Finished
	s.failed += row.Failed
	s.length[row.Agent] += row.Length
	s.inFlight[row.Agent] = row.InFlight
}

func (t *timeline) addUsage(row *record.Usage) {
	if row.ServerRSS > 0 {
		s := t.at(spanKey{row.Label, row.Pair, row.Repeat}, int(math.Round(row.At))-1) // it is read at the end of a second
		s.rss = max(s.rss, row.ServerRSS)
	}
}

// coarsen joins the stretches two by two.
func (t *timeline) coarsen() {
	t.width, t.count = 2*t.width, 0
	for key, span := range t.spans {
		half := span[:(len(span)+1)/2]
		for i, s := range span {
			if i%2 == 0 {
				half[i/2] = s
			} else {
				half[i/2].join(s)
			}
		}
		t.spans[key] = half
		t.count += len(half)
	}
}

// join adds the stretch that follows.
func (s *stretch) join(next stretch) {
	s.up += next.up
	s.down += next.down
	s.finished += next.finished
	s.failed += next.failed
	s.rss = max(s.rss, next.rss)
	for agent, length := range next.length {
		s.length[agent] += length
		s.inFlight[agent] = next.inFlight[agent]
	}
}

// moments returns the timeline, and where in it the repeats end.
func (t *timeline) moments() (all []Moment, ends []float64) {
	at := 0.0
	for _, key := range t.order {
		for i, s := range t.spans[key] {
			var length float64
			var inFlight int64
			for agent := range s.length {
				length = max(length, s.length[agent])
				inFlight += s.inFlight[agent]
			}
			if length == 0 || length < shortest && i > 0 {
				continue
			}
			at += length
			all = append(all, Moment{
				At: at, Up: float64(s.up) / 1e6 / length, Down: float64(s.down) / 1e6 / length,
				InFlight: inFlight, Finished: s.finished, Failed: s.failed, ServerRSS: s.rss,
			})
		}
		ends = append(ends, at)
	}
	return all, ends
}

// shortest is the length in seconds below which the last stretch of a repeat says
// nothing of a rate.
const shortest = 0.1
