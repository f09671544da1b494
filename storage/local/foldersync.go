package local

import (
	"errors"
	"os"
	"sync"
)

// folderSyncs lets uploads that finish in one folder at the same time share a
// sync of it: those that come while one runs wait for the next, which then
// serves them all.
type folderSyncs struct {
	observer Observer
	mu       sync.Mutex
	running  map[string]*folderSync
}

// folderSync is one sync that runs, and the one that will follow it.
type folderSync struct {
	done chan struct{}
	err  error
	next *folderSync // nil while nobody waits for it
}

func newFolderSyncs(o Observer) *folderSyncs {
	return &folderSyncs{observer: o, running: make(map[string]*folderSync)}
}

// sync returns once a sync of the folder that began after the call has ended.
func (f *folderSyncs) sync(root *os.Root, folder string) error {
	f.mu.Lock()
	current := f.running[folder]
	if current == nil {
		current = &folderSync{done: make(chan struct{})}
		f.running[folder] = current
		f.mu.Unlock()
		return f.run(root, folder, current)
	}
	if current.next != nil {
		next := current.next
		f.mu.Unlock()
		<-next.done
		return next.err
	}
	next := &folderSync{done: make(chan struct{})}
	current.next = next
	f.mu.Unlock()
	<-current.done
	return f.run(root, folder, next)
}

// run does the sync that s stands for. It is then the folder's running one.
func (f *folderSyncs) run(root *os.Root, folder string, s *folderSync) error {
	s.err = f.syncOnce(root, folder)
	f.mu.Lock()
	if s.next != nil {
		f.running[folder] = s.next
	} else {
		delete(f.running, folder)
	}
	f.mu.Unlock()
	close(s.done)
	return s.err
}

func (f *folderSyncs) syncOnce(root *os.Root, folder string) error {
	dir, err := root.Open(folder)
	if err != nil {
		return err
	}
	err = syncing(f.observer, true, func() error { return syncDir(dir) })
	return errors.Join(err, dir.Close())
}
