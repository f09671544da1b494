package config

import "reflect"

// Change is what became of the settings in a reload: the keys of those that differ from before.
type Change struct {
	Applied []string // in effect
	Restart []string // in effect only after a restart
}

// Reload is c with what next has for the settings that may change while the server runs.
func (c Config) Reload(next Config) (Config, Change) {
	var change Change
	merged := c
	merged.sources = make(map[string]string, len(c.sources))
	for _, s := range settings {
		differs := !reflect.DeepEqual(s.value(&c), s.value(&next))
		merged.sources[s.key] = c.sources[s.key]
		switch {
		case s.live:
			reflect.ValueOf(s.field(&merged)).Elem().Set(reflect.ValueOf(s.value(&next)))
			merged.sources[s.key] = next.sources[s.key]
			if differs {
				change.Applied = append(change.Applied, s.key)
			}
		case differs:
			change.Restart = append(change.Restart, s.key)
		}
	}
	return merged, change
}
