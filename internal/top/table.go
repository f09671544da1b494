package top

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize"
)

// column is one of the live view's.
type column struct {
	title string
	width int // in cells
	right bool
	text  func(t Transfer) string
	// rank is the order in which columns go where there is no room: the highest
	// first. The name has what the others leave.
	rank int
}

var columns = []column{
	{"", 1, false, arrow, 0},
	{"PROTO", 7, false, func(t Transfer) string { return t.Protocol }, 4},
	{"MB/S", 8, true, func(t Transfer) string { return fmt.Sprintf("%.1f", t.Rate/1e6) }, 0},
	{"PROGRESS", 18, false, progress, 2},
	{"SIZE", 8, true, size, 3},
	{"LEFT", 8, true, left, 1},
	{"PHASE", 10, false, func(t Transfer) string { return t.Phase }, 5},
	{"CLIENT", 15, false, func(t Transfer) string { return t.Client }, 6},
	{"USER", 12, false, func(t Transfer) string { return t.User }, 7},
}

// leastName is the room that a name gets before columns go, in cells.
const leastName = 24

// fitting are the columns for a width in cells, and what is left for the name.
func fitting(width int) ([]column, int) {
	for rank := math.MaxInt8; ; rank-- {
		var kept []column
		rest := width
		for _, c := range columns {
			if c.rank <= rank {
				kept = append(kept, c)
				rest -= c.width + 1
			}
		}
		if rest >= leastName || rank == 0 {
			return kept, max(rest, 1)
		}
	}
}

// row writes a transfer, or the titles for nil, in exactly width cells.
func row(t *Transfer, width int) string {
	kept, rest := fitting(width)
	var line strings.Builder
	for _, c := range kept {
		text := c.title
		if t != nil {
			text = c.text(*t)
		}
		line.WriteString(fit(text, c.width, c.right) + " ")
	}
	name := "NAME"
	if t != nil {
		name = t.Name
	}
	line.WriteString(fit(name, rest, false))
	return ansi.Truncate(line.String(), width, "")
}

// fit makes text take exactly width cells. The end of a long one is what tells
// names apart, so that the middle goes.
func fit(text string, width int, right bool) string {
	if w := ansi.StringWidth(text); w > width {
		half := (width - 1) / 2
		text = ansi.Truncate(text, width-1-half, "") + "…" + ansi.TruncateLeft(text, w-half, "")
	}
	pad := strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
	if right {
		return pad + text
	}
	return text + pad
}

func arrow(t Transfer) string {
	if t.isUpload() {
		return "↑"
	}
	return "↓"
}

const barWidth = 12

// progress is a bar and a percentage, or how much has moved.
func progress(t Transfer) string {
	share, known := t.share()
	if !known {
		return humanize.Bytes(uint64(max(t.Bytes, 0)))
	}
	full := int(share * barWidth)
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full) + fmt.Sprintf(" %3.0f%%", math.Floor(share*100))
}

func size(t Transfer) string {
	if t.Total == nil {
		return "?"
	}
	return humanize.Bytes(uint64(max(*t.Total, 0)))
}

func left(t Transfer) string {
	d, known := t.left()
	if !known {
		return "-"
	}
	return d.Round(time.Second).String()
}

// WriteTable writes the transfers as a table for pipes: a line each, in the order
// in which they began.
func WriteTable(w io.Writer, list List) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tDIRECTION\tPROTOCOL\tPHASE\tBYTES\tTOTAL\tBYTES/S\tSECONDS\tLEFT\tCLIENT\tUSER\tNAME")
	for _, t := range list.Running {
		total := "-"
		if t.Total != nil {
			total = fmt.Sprint(*t.Total)
		}
		user := t.User
		if user == "" {
			user = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%.0f\t%.1f\t%s\t%s\t%s\t%s\n",
			t.ID, t.Direction, t.Protocol, t.Phase, t.Bytes, total, t.Rate, t.Elapsed, left(t), t.Client, user, t.Name)
	}
	if list.More > 0 {
		fmt.Fprintf(table, "and %d more\n", list.More)
	}
	return table.Flush()
}

// sparks draws values, the newest at the right, in at most width cells.
func sparks(values []float64, width int) string {
	values = values[max(len(values)-width, 0):]
	highest := 0.0
	for _, v := range values {
		highest = max(highest, v)
	}
	var line strings.Builder
	levels := []rune(" ▁▂▃▄▅▆▇█")
	for _, v := range values {
		level := 0
		if highest > 0 {
			level = int(math.Ceil(v / highest * float64(len(levels)-1)))
		}
		line.WriteRune(levels[level])
	}
	return line.String()
}
