package top

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Transfer is one that runs, as the API tells it.
type Transfer struct {
	ID        string  `json:"id"`
	Direction string  `json:"direction"`
	Protocol  string  `json:"protocol"`
	Name      string  `json:"name"`
	Client    string  `json:"client"`
	User      string  `json:"user"`
	Phase     string  `json:"phase"`
	Bytes     int64   `json:"bytes"`
	Total     *int64  `json:"total"` // nil while unknown
	Elapsed   float64 `json:"elapsed_seconds"`
	Rate      float64 `json:"bytes_per_second"`
}

// List is what the API tells at one moment.
type List struct {
	Running  []Transfer `json:"running"`
	More     int        `json:"more"` // that run, and are not in the list
	Draining bool       `json:"draining"`
}

// printable makes texts of others harmless to a terminal.
func (l *List) printable() {
	for i := range l.Running {
		t := &l.Running[i]
		for _, text := range []*string{&t.ID, &t.Direction, &t.Protocol, &t.Name, &t.Client, &t.User, &t.Phase} {
			*text = strings.Map(func(r rune) rune {
				if unicode.IsPrint(r) {
					return r
				}
				return unicode.ReplacementChar
			}, *text)
		}
	}
}

// rates are the bytes per second of all that runs.
func (l *List) rates() (up, down float64) {
	for _, t := range l.Running {
		if t.isUpload() {
			up += t.Rate
		} else {
			down += t.Rate
		}
	}
	return up, down
}

func (t *Transfer) isUpload() bool { return t.Direction == "upload" }

// share is how much of it has moved, from 0 to 1; false while that is unknown.
func (t *Transfer) share() (float64, bool) {
	if t.Total == nil {
		return 0, false
	}
	if *t.Total <= 0 {
		return 1, true
	}
	return min(float64(t.Bytes)/float64(*t.Total), 1), true
}

// longestLeft is the longest time that is still told as one.
const longestLeft = 100 * time.Hour

// left is the time until its end at the rate of now; false where nobody knows.
func (t *Transfer) left() (time.Duration, bool) {
	if t.Total == nil || t.Rate <= 0 {
		return 0, false
	}
	seconds := max(float64(*t.Total-t.Bytes), 0) / t.Rate
	if seconds > longestLeft.Seconds() {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// order is a way to sort transfers.
type order struct {
	name    string
	compare func(a, b Transfer) int
}

// orders are those to choose from. Equals stay in the order of their beginning.
var orders = []order{
	{"rate", func(a, b Transfer) int { return cmp.Compare(b.Rate, a.Rate) }},
	{"age", func(a, b Transfer) int { return cmp.Compare(b.Elapsed, a.Elapsed) }},
	{"bytes", func(a, b Transfer) int { return cmp.Compare(b.Bytes, a.Bytes) }},
	{"client", func(a, b Transfer) int { return strings.Compare(a.Client, b.Client) }},
	{"name", func(a, b Transfer) int { return strings.Compare(a.Name, b.Name) }},
}

// chosen are the transfers in which the filter's words all occur, in order.
func chosen(list List, o order, filter string) []Transfer {
	words := strings.Fields(strings.ToLower(filter))
	transfers := slices.DeleteFunc(slices.Clone(list.Running), func(t Transfer) bool {
		text := strings.ToLower(strings.Join([]string{t.Name, t.Client, t.User, t.Protocol, t.Direction, t.Phase}, "\n"))
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
	slices.SortStableFunc(transfers, o.compare)
	return transfers
}
