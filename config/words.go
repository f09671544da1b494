package config

import (
	"slices"
	"strings"
)

// Words is a set of words, with commas between them.
type Words string

// List returns the words.
func (w Words) List() []string { return strings.Split(string(w), ",") }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (w *Words) UnmarshalText(text []byte) error {
	words := strings.Split(string(text), ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	*w = Words(strings.Join(words, ","))
	return nil
}

// someOf accepts one or more of the given words.
func someOf(words ...string) rule {
	return rule{"one or more of " + strings.Join(words, ", "), func(_ *Config, field any) bool {
		return !slices.ContainsFunc(field.(*Words).List(), func(w string) bool { return !slices.Contains(words, w) })
	}}
}

// alone accepts the word only where it is the only one.
func alone(word string) rule {
	return rule{word + " alone if at all", func(_ *Config, field any) bool {
		words := field.(*Words).List()
		return len(words) == 1 || !slices.Contains(words, word)
	}}
}
