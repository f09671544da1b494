package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Scopes is a set of what may be done.
type Scopes uint8

// The scopes. None implies another.
const (
	// Read: download files whose names are known.
	Read Scopes = 1 << iota
	// Write: upload, replacing files as the server allows it.
	Write
	// Delete: remove files.
	Delete
	// List: see what there is. An archive takes Read besides.
	List
	// Admin: see and stop the transfers of all, and go on with their uploads.
	Admin

	// All is every scope.
	All = Read | Write | Delete | List | Admin
)

// scopeWords are the scopes as they are written, in their order.
var scopeWords = [...]string{"read", "write", "delete", "list", "admin"}

// ErrScope: a word is none of the scopes.
var ErrScope = errors.New("scopes are " + strings.Join(scopeWords[:], ", "))

// ParseScopes reads words; none is the empty set.
func ParseScopes(words []string) (Scopes, error) {
	var s Scopes
	for _, word := range words {
		scope := parseScope(word)
		if scope == 0 {
			return 0, fmt.Errorf("%w, and not %.20q", ErrScope, word)
		}
		s |= scope
	}
	return s, nil
}

// parseScope is 0 for what is no scope.
func parseScope(word string) Scopes {
	for i, known := range scopeWords {
		if word == known {
			return 1 << i
		}
	}
	return 0
}

// Words lists the set, in the order of the scopes.
func (s Scopes) Words() []string {
	words := []string{}
	for i, word := range scopeWords {
		if s&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return words
}

// Has reports whether all of t are in s.
func (s Scopes) Has(t Scopes) bool { return s&t == t }

// HasAny reports whether one of t is in s.
func (s Scopes) HasAny(t Scopes) bool { return s&t != 0 }

// String has commas between the words.
func (s Scopes) String() string { return strings.Join(s.Words(), ",") }

// MarshalJSON writes a list of words.
func (s Scopes) MarshalJSON() ([]byte, error) { return json.Marshal(s.Words()) }

// UnmarshalJSON reads one.
func (s *Scopes) UnmarshalJSON(data []byte) error {
	var words []string
	if err := json.Unmarshal(data, &words); err != nil {
		return err
	}
	parsed, err := ParseScopes(words)
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}
