package report

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"time"

	"sluice/loadtest/record"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// pageSection is a section with its charts drawn.
type pageSection struct {
	Section
	Drawings []drawing
}

type drawing struct {
	Title string
	Keys  []string // of its lines, in the order of their colours
	SVG   template.HTML
}

// WriteHTML writes the report as one page with charts, which needs nothing else:
// no script, no font, no network.
func (r *Report) WriteHTML(w io.Writer) error {
	content := struct {
		Title    string
		Facts    []string
		Failed   string
		Sections []pageSection
	}{Title: "load", Facts: r.facts()}
	if err := r.Err(); err != nil {
		content.Failed = err.Error()
	}
	for i, s := range r.sections() {
		if i == 0 {
			content.Title = s.Title
		}
		drawn := pageSection{Section: s}
		for _, c := range s.Charts {
			if c.empty() {
				continue
			}
			svg, err := c.svg()
			if err != nil {
				return err
			}
			drawn.Drawings = append(drawn.Drawings, drawing{c.Title, c.keys(), template.HTML(svg)})
		}
		content.Sections = append(content.Sections, drawn)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, content); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// keys names the lines, if there are several to tell apart.
func (c Chart) keys() []string {
	var names []string
	for _, line := range c.Lines {
		names = append(names, line.Name)
	}
	if len(names) < 2 {
		return nil
	}
	return names
}

// facts says when and where it was.
func (r *Report) facts() []string {
	var facts []string
	for _, run := range r.Runs() {
		for _, h := range append([]*record.Header{run.header}, run.agents...) {
			if h.Started.IsZero() {
				continue
			}
			host := h.Host
			fact := fmt.Sprintf("%s on %s, %s/%s, %d CPUs, %s", h.Started.UTC().Format(time.RFC3339), host.Name, host.OS, host.Arch, host.CPUs, host.Go)
			if h.Agent != "" {
				fact = fmt.Sprintf("%s: %s, clock %+.3f ms, within %.3f ms", h.Agent, fact, 1000*h.ClockAhead, 1000*h.ClockWithin)
			}
			if len(facts) == 0 || facts[len(facts)-1] != fact {
				facts = append(facts, fact)
			}
		}
	}
	return facts
}
