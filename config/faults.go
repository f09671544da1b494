package config

import "strings"

// Fault is one thing that is wrong with the settings.
type Fault struct {
	Key    string // the setting; for an unknown one, its name as it was written
	Source string // where the value came from: the file, the variable of the environment or the flag
	Reason string // what is wrong
}

// String is the fault in one line.
func (f Fault) String() string {
	return f.Key + ": " + f.Reason + " (" + f.Source + ")"
}

// Error is what Load returns: every fault of the settings, at least one.
type Error struct {
	Faults []Fault
}

// Error has one line for each fault.
func (e *Error) Error() string {
	lines := make([]string, len(e.Faults))
	for i, fault := range e.Faults {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}
