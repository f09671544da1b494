package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	for i, s := range r.sections() {
		if i > 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintln(&b, s.Title)
		for _, line := range s.Lines {
			fmt.Fprintln(&b, line)
		}
		if s.Table != nil {
			fmt.Fprintln(&b)
			s.Table.writeText(&b)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeText lines up the columns to the right, but for the first. Nothing can
// fail, because it writes to memory.
func (t *Table) writeText(b *bytes.Buffer) {
	rows := append([][]string{t.Columns}, t.Rows...)
	width := 0
	for _, cells := range rows {
		width = max(width, utf8.RuneCountInString(cells[0]))
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, cells := range rows {
		_, _ = fmt.Fprintf(w, "%-*s\t%s\t\n", width, cells[0], strings.Join(cells[1:], "\t"))
	}
	_ = w.Flush()
}

// WriteMarkdown writes the report as Markdown with tables of GitHub's kind.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b bytes.Buffer
	for i, s := range r.sections() {
		level := "##"
		if i == 0 {
			level = "#"
		}
		fmt.Fprintf(&b, "%s %s\n\n", level, escapeMarkdown(s.Title))
		for _, line := range s.Lines {
			fmt.Fprintf(&b, "    %s\n", line)
		}
		if len(s.Lines) > 0 {
			fmt.Fprintln(&b)
		}
		if s.Table != nil {
			s.Table.writeMarkdown(&b)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (t *Table) writeMarkdown(b *bytes.Buffer) {
	line := func(cells []string) {
		for _, cell := range cells {
			fmt.Fprintf(b, "| %s ", escapeMarkdown(cell))
		}
		fmt.Fprintln(b, "|")
	}
	line(t.Columns)
	fmt.Fprintln(b, "|---"+strings.Repeat("|---:", len(t.Columns)-1)+"|")
	for _, cells := range t.Rows {
		line(cells)
	}
	fmt.Fprintln(b)
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`")

func escapeMarkdown(text string) string { return markdownEscapes.Replace(text) }
