package e2e_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// ledger is what clients know of their uploads, across the lives of a server.
type ledger struct {
	mu      sync.Mutex
	files   map[string]*fileRecord
	uploads map[string]*tusRecord // unfinished tus uploads by their path
}

// fileRecord is what a file may hold, as names of contents.
type fileRecord struct {
	stored string // what the server has acknowledged last, or nothing
	tried  string // what was sent last
}

// tusRecord is what is known of an unfinished upload.
type tusRecord struct {
	content   string
	confirmed int64        // acknowledged by the server
	sent      atomic.Int64 // handed to the connection, at most
}

func newLedger() *ledger {
	return &ledger{files: make(map[string]*fileRecord), uploads: make(map[string]*tusRecord)}
}

// sized names a content of size bytes that depends on nothing but this name.
func sized(name string, size int64) string { return fmt.Sprintf("%s-%d", name, size) }

// sizeOf is the size in the name of a content.
func sizeOf(content string) int64 {
	size, err := strconv.ParseInt(content[strings.LastIndexByte(content, '-')+1:], 10, 64)
	if err != nil {
		panic(err) // it was made by sized
	}
	return size
}

// contentNamed is the content of a name, from an offset on.
func contentNamed(content string, from int64) io.Reader {
	src := io.LimitReader(rand.NewChaCha8(sha256.Sum256([]byte(content))), sizeOf(content))
	if from > 0 {
		_, _ = io.CopyN(io.Discard, src, from) // neither side fails
	}
	return src
}

// try notes that a content is going to be sent as a file.
func (l *ledger) try(name, content string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.files[name] == nil {
		l.files[name] = new(fileRecord)
	}
	l.files[name].tried = content
}

// store notes that the server has acknowledged what was tried.
func (l *ledger) store(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files[name].stored = l.files[name].tried
}

// begin notes that the server has created an upload of a content, which will be
// a file of the same name.
func (l *ledger) begin(path, content string) *tusRecord {
	l.mu.Lock()
	defer l.mu.Unlock()
	record := &tusRecord{content: content}
	l.uploads[path] = record
	return record
}

// finish notes that the server has acknowledged the whole upload.
func (l *ledger) finish(path string) {
	l.mu.Lock()
	content := l.uploads[path].content
	delete(l.uploads, path)
	l.mu.Unlock()
	l.store(content)
}

// check compares a server that has just started with the ledger, continues all
// tus uploads, and removes the files that have passed.
func (l *ledger) check(s *server) {
	s.t.Helper()
	l.checkFiles(s)
	l.resume(s)
	l.checkFiles(s)
	if left := s.temporary(); len(left) > 0 {
		s.t.Errorf("the server has kept %q", left)
	}
	if _, err := os.Stat(s.file(".sluice/damaged")); err == nil {
		s.t.Error("the server has set uploads aside as damaged")
	}
	l.clear(s)
}

// checkFiles compares the files on the disk with what they may hold.
func (l *ledger) checkFiles(s *server) {
	s.t.Helper()
	found := make(map[string]bool)
	for _, name := range s.stored() {
		found[name] = true
		record := l.files[name]
		if record == nil {
			s.t.Errorf("%s: nobody has sent such a file", name)
		} else if !holds(s.file(name), record.tried) && !holds(s.file(name), record.stored) {
			s.t.Errorf("%s holds neither %q, which was sent last, nor %q, which was acknowledged", name, record.tried, record.stored)
		}
	}
	for name, record := range l.files {
		if record.stored != "" && !found[name] {
			s.t.Errorf("%s is lost, though %q was acknowledged", name, record.stored)
		}
	}
}

// holds reports whether the file holds the content of that name.
func holds(path, content string) bool {
	info, err := os.Stat(path)
	if err != nil || content == "" || info.Size() != sizeOf(content) {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return compare(file, contentNamed(content, 0)) == nil
}

// resume continues every unfinished upload to its end.
func (l *ledger) resume(s *server) {
	s.t.Helper()
	c := s.client()
	for path, record := range l.uploads {
		size := sizeOf(record.content)
		offset, err := c.offset(path)
		if err != nil {
			s.t.Errorf("upload of %s is lost: %v", record.content, err)
			continue
		}
		if sent := record.sent.Load(); offset < record.confirmed || offset > sent {
			s.t.Errorf("offset of %s is %d; %d was acknowledged, %d was sent", record.content, offset, record.confirmed, sent)
		}
		if offset < size {
			if err := c.append(path, offset, contentNamed(record.content, offset), size-offset); err != nil {
				s.t.Errorf("resume: %v", err)
				continue
			}
		}
		l.finish(path)
	}
}

// clear forgets and removes the files, so that a long test fits on the disk.
func (l *ledger) clear(s *server) {
	s.t.Helper()
	for name := range l.files {
		if err := os.Remove(s.file(name)); err != nil && !os.IsNotExist(err) {
			s.t.Error(err)
		}
	}
	clear(l.files)
	// What is left is finished, or was being dropped.
	left, err := filepath.Glob(s.file(".sluice/uploads/*"))
	if err != nil {
		s.t.Error(err)
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			s.t.Error(err)
		}
	}
}
