package local

import (
	"slices"
	"sync"
)

// hotFiles is how many files are remembered as sent lately.
const hotFiles = 256

// recency remembers which files were sent lately. A file that is asked for once
// goes past the page cache, so that it pushes nothing out. When it is asked for
// again it goes through it, and stays there for the next time. If it hasn't
// stayed, there is no room for it, and it goes past it for good.
type recency struct {
	mu    sync.Mutex
	files []recent // oldest first
}

type recent struct {
	version string
	warmed  bool
}

// warm notes that a file that isn't in the page cache is sent now, and reports
// whether it should be put there.
func (r *recency) warm(version string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	file := recent{version: version}
	i := slices.IndexFunc(r.files, func(f recent) bool { return f.version == version })
	again := i >= 0 && !r.files[i].warmed
	if i >= 0 {
		file.warmed = true
		r.files = slices.Delete(r.files, i, i+1)
	} else if len(r.files) == hotFiles {
		r.files = slices.Delete(r.files, 0, 1)
	}
	r.files = append(r.files, file)
	return again
}
