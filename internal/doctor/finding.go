package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Level is how bad a finding is.
type Level string

// The levels, from good to bad.
const (
	OK      Level = "ok"      // as it should be
	Warning Level = "warning" // works, but worse than it could
	Problem Level = "problem" // something doesn't work
)

// Finding is what a check has found.
type Finding struct {
	Check    string   `json:"check"` // what was looked at, in a few words
	Level    Level    `json:"level"`
	Text     string   `json:"text"`               // what was found, with its numbers
	Remedies []Remedy `json:"remedies,omitempty"` // what mends it
}

// Remedy is a setting that mends what was found.
type Remedy struct {
	Of      string `json:"of"` // the program that has the setting
	Setting string `json:"setting"`
}

// Report is all findings, in the order of the checks.
type Report struct {
	Findings []Finding `json:"findings"`
}

// ErrProblems says that there is at least one problem.
var ErrProblems = errors.New("problems were found")

// Err wraps ErrProblems if there are any.
func (r Report) Err() error {
	if n := r.count(Problem); n > 0 {
		return fmt.Errorf("%w: %d", ErrProblems, n)
	}
	return nil
}

func (r Report) count(level Level) int {
	n := 0
	for _, finding := range r.Findings {
		if finding.Level == level {
			n++
		}
	}
	return n
}

// WriteText writes a finding a line, for a person, with its remedies below it.
func (r Report) WriteText(w io.Writer) error {
	for _, f := range r.Findings {
		if _, err := fmt.Fprintf(w, "%-7s  %s: %s\n", f.Level, f.Check, f.Text); err != nil {
			return err
		}
		for _, remedy := range f.Remedies {
			if _, err := fmt.Fprintf(w, "%-7s    %s: %s\n", "", remedy.Of, remedy.Setting); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "\n%d ok, %d warnings, %d problems\n", r.count(OK), r.count(Warning), r.count(Problem))
	return err
}

// WriteJSON writes one document.
func (r Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// findings collects those of one check.
type findings struct {
	check string
	list  []Finding
}

func (f *findings) add(level Level, remedies []Remedy, format string, args ...any) {
	f.list = append(f.list, Finding{f.check, level, fmt.Sprintf(format, args...), remedies})
}

func (f *findings) ok(format string, args ...any) { f.add(OK, nil, format, args...) }

func (f *findings) warn(remedies []Remedy, format string, args ...any) {
	f.add(Warning, remedies, format, args...)
}

func (f *findings) problem(remedies []Remedy, format string, args ...any) {
	f.add(Problem, remedies, format, args...)
}
