package hooks

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Folder keeps small files under names without a slash.
type Folder interface {
	// List describes all files.
	List() ([]fs.FileInfo, error)
	Read(name string) ([]byte, error)
	// Write makes a file in one step; it survives a loss of power if it is to be
	// durable.
	Write(name string, data []byte, durable bool) error
	Remove(name string) error
}

// errFull: the queue has reached its bound.
var errFull = errors.New("queue of events is full")

// queue is the events that wait, each a file, in the order of their names.
type queue struct {
	folder    Folder
	maxEvents int
	maxBytes  int64
	// wake is told of each event that is added.
	wake chan struct{}

	mu      sync.Mutex
	last    entry   // the one that was begun last
	waiting []entry // by seq
	events  int     // with those that are being written
	bytes   int64
}

// entry is an event in the queue.
type entry struct {
	seq  int64
	size int64 // bytes
}

// name has the same length for every seq, so that the order of names is theirs.
func (e entry) name() string { return fmt.Sprintf("%016x%s", e.seq, eventExt) }

const eventExt = ".json"

func openQueue(folder Folder, maxEvents int, maxBytes int64) (*queue, error) {
	q := &queue{folder: folder, maxEvents: maxEvents, maxBytes: maxBytes, wake: make(chan struct{}, 1)}
	files, err := folder.List()
	if err != nil {
		return nil, fmt.Errorf("open queue of events: %w", err)
	}
	for _, file := range files {
		seq, err := strconv.ParseInt(strings.TrimSuffix(file.Name(), eventExt), 16, 64)
		if e := (entry{seq, file.Size()}); err == nil && e.name() == file.Name() {
			q.waiting = append(q.waiting, e)
			q.bytes += e.size
		}
	}
	slices.SortFunc(q.waiting, compareSeq)
	if q.events = len(q.waiting); q.events > 0 {
		q.last = q.waiting[q.events-1]
	}
	return q, nil
}

// add writes an event. Events that one caller adds stand in the order of its
// calls.
func (q *queue) add(data []byte, durable bool) error {
	e, err := q.begin(int64(len(data)))
	if err != nil {
		return err
	}
	if err := q.folder.Write(e.name(), data, durable); err != nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.events, q.bytes = q.events-1, q.bytes-e.size
		return fmt.Errorf("queue event: %w", err)
	}
	q.insert(e)
	return nil
}

// begin takes a place in the queue. The clock gives it a number that no earlier
// run of the program has used; where the clock goes back, the numbers go on.
func (q *queue) begin(size int64) (entry, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.events >= q.maxEvents || q.bytes+size > q.maxBytes {
		return entry{}, errFull
	}
	q.last = entry{max(q.last.seq+1, time.Now().UnixNano()), size}
	q.events++
	q.bytes += size
	return q.last, nil
}

func (q *queue) insert(e entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	at, _ := slices.BinarySearchFunc(q.waiting, e, compareSeq)
	q.waiting = slices.Insert(q.waiting, at, e)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// first is the event that has waited longest.
func (q *queue) first() (entry, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return entry{}, false
	}
	return q.waiting[0], true
}

// forget takes an event off the queue, and leaves its file.
func (q *queue) forget(e entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if at, found := slices.BinarySearchFunc(q.waiting, e, compareSeq); found {
		q.waiting = slices.Delete(q.waiting, at, at+1)
		q.events, q.bytes = q.events-1, q.bytes-e.size
	}
}

// remove takes an event off the queue. A file that can't be removed is
// delivered once more by the next run of the program.
func (q *queue) remove(e entry) error {
	q.forget(e)
	return q.folder.Remove(e.name())
}

func (q *queue) size() (events int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.events, q.bytes
}

func compareSeq(a, b entry) int { return cmp.Compare(a.seq, b.seq) }
