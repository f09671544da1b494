package config

import (
	"reflect"
	"strings"
)

// FromDefault is the source of a value that nobody set.
const FromDefault = "default"

// Entry is one setting with its value in effect.
type Entry struct {
	Key     string // its name in the file and, after two dashes, as a flag
	Env     string // its name in the environment
	Value   any    // string, bool, int, time.Duration, or a type of this package
	Source  string // the file, variable or flag that set it, or FromDefault
	Default string
	Hint    string // the kind of value
	Limits  string // what Load accepts beyond the kind; may be empty
	Help    string // what it is, with its unit
	Risk    string // what a bad choice costs
	Live    bool   // a reload puts it into effect; all others need a restart
}

// Entries lists every setting, in the order of the table.
func (c Config) Entries() []Entry {
	entries := make([]Entry, len(settings))
	for i, s := range settings {
		entries[i] = Entry{
			Key: s.key, Env: envName(s.key), Value: s.value(&c), Source: c.sources[s.key],
			Default: s.initial, Hint: s.hint, Limits: s.limitsText(), Help: s.help, Risk: s.risk, Live: s.live,
		}
	}
	return entries
}

// value is what the setting's field holds.
func (s setting) value(c *Config) any {
	return reflect.ValueOf(s.field(c)).Elem().Interface()
}

// limitsText follows "must be"; it is empty for a setting without limits.
func (s setting) limitsText() string {
	texts := make([]string, len(s.limits))
	for i, limit := range s.limits {
		texts[i] = limit.text
	}
	return strings.Join(texts, " and ")
}
