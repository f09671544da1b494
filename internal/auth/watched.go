package auth

import (
	"io/fs"
	"os"
	"sync"
	"time"
)

// lookEvery bounds how often a file is looked at, whoever asks.
const lookEvery = time.Second

// watchedFile is what has been read of a file, which is read again once it has
// changed. What is wrong leaves what was there.
type watchedFile[T any] struct {
	path   string
	read   func(path string) (T, error)
	report func(error) // is told of each attempt to read it again; nil is nobody

	mu     sync.Mutex
	value  T
	stamp  fs.FileInfo
	looked time.Time
}

// openWatched reads the file, which has to be right.
func openWatched[T any](path string, read func(path string) (T, error), report func(error)) (*watchedFile[T], error) {
	w := &watchedFile[T]{path: path, read: read, report: report}
	apply, err := w.prepare()
	if err != nil {
		return nil, err
	}
	apply()
	return w, nil
}

// prepare reads the file, for apply to put it in place.
func (w *watchedFile[T]) prepare() (apply func(), err error) {
	// Looked at first: a change after that is seen next time.
	stamp, err := os.Stat(w.path)
	if err != nil {
		return nil, err
	}
	value, err := w.read(w.path)
	if err != nil {
		return nil, err
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.value, w.stamp = value, stamp
	}, nil
}

// get is what the file holds, as of a second ago.
func (w *watchedFile[T]) get(now time.Time) T {
	if w.isDue(now) {
		apply, err := w.prepare()
		if err == nil {
			apply()
		}
		if w.report != nil {
			w.report(err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.value
}

// isDue reports whether the file has changed, at most once for each change.
func (w *watchedFile[T]) isDue(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Sub(w.looked) < lookEvery {
		return false
	}
	w.looked = now
	stamp, err := os.Stat(w.path)
	if err != nil {
		stamp = nil // reading it says why
	}
	if isSame(stamp, w.stamp) {
		return false
	}
	w.stamp = stamp
	return true
}

func isSame(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
