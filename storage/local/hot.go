package local

import (
	"slices"
	"sync"
)

// hotFiles is how many files are remembered as sent lately.
const hotFiles = 256

// recency remembers which files were sent lately. A file that is asked for once
// goes past the page cache, so that it pushes nothing out; one that is asked
// for again goes through it, and stays there for the next time.
type recency struct {
	mu       sync.Mutex
	versions []string // oldest first
}

// again notes that the version is sent now, and reports whether it was sent
// lately already.
func (r *recency) again(version string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.versions, version)
	if i >= 0 {
		r.versions = slices.Delete(r.versions, i, i+1)
	} else if len(r.versions) == hotFiles {
		r.versions = slices.Delete(r.versions, 0, 1)
	}
	r.versions = append(r.versions, version)
	return i >= 0
}
