package config

import (
	"errors"
	"strings"
)

// leastSyncEvery keeps syncing from costing more than writing.
const leastSyncEvery = MiB

// Durability is what an acknowledged upload survives: "none", "commit", or
// "every=SIZE".
type Durability struct {
	// Sync tells whether anything is synced at all.
	Sync bool
	// Every makes running uploads durable each so many bytes; 0 at their end.
	Every Size
}

// String writes it as UnmarshalText reads it.
func (d Durability) String() string {
	switch {
	case !d.Sync:
		return "none"
	case d.Every > 0:
		return "every=" + d.Every.String()
	}
	return "commit"
}

// MarshalText writes what String does.
func (d Durability) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads none, commit or every=SIZE; on an error d is left as it was.
func (d *Durability) UnmarshalText(text []byte) error {
	switch word := string(text); word {
	case "none":
		*d = Durability{}
		return nil
	case "commit":
		*d = Durability{Sync: true}
		return nil
	}
	size, found := strings.CutPrefix(string(text), "every=")
	if !found {
		return errors.New("must be none, commit or every=SIZE")
	}
	every, err := ParseSize(size)
	if err != nil || every < leastSyncEvery {
		return errors.New("must be none, commit or every=SIZE with a size of at least 1MiB")
	}
	*d = Durability{Sync: true, Every: every}
	return nil
}
