package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"
)

// Folder keeps small files under plain names.
type Folder interface {
	List() ([]fs.FileInfo, error)
	Read(name string) ([]byte, error)
	Write(name string, data []byte, durable bool) error
	Remove(name string) error
}

const (
	// maxUsed bounds the links that are remembered: those whose uses are
	// counted, and those that have been revoked.
	maxUsed = 10000
	// sweepEvery is how often expired ones are forgotten.
	sweepEvery = time.Hour
)

// ErrTooManyLinks: no more uses can be counted until other links expire.
var ErrTooManyLinks = errors.New("too many links are remembered")

// uses count how often links have been used, each in a file of its own, which is
// written before the use begins: two requests at a time can't pass the bound, nor
// can a crash give a use back.
type uses struct {
	folder Folder

	mu    sync.Mutex
	links map[string]used
	swept time.Time
}

// used is what is remembered of a link.
type used struct {
	Uses    int   `json:"uses"`
	Revoked bool  `json:"revoked,omitempty"`
	Expires int64 `json:"expires"` // seconds since 1970
}

// openUses reads what the folder holds. What isn't readable was cut short by a
// crash of the system; its link counts as used up.
func openUses(folder Folder, now time.Time) (*uses, error) {
	u := &uses{folder: folder, links: make(map[string]used)}
	files, err := folder.List()
	if err != nil {
		return nil, fmt.Errorf("read uses of links: %w", err)
	}
	for _, file := range files {
		data, err := folder.Read(file.Name())
		if err != nil {
			return nil, fmt.Errorf("read uses of links: %w", err)
		}
		var l used
		if json.Unmarshal(data, &l) != nil || l.Expires == 0 {
			l = used{Revoked: true, Expires: now.Add(maxLinkLife).Unix()}
		}
		u.links[file.Name()] = l
	}
	return u, u.sweep(now)
}

// check reports whether the link is used up, and fails where it was revoked.
func (u *uses) check(l Link) (usedUp bool, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.checkLocked(l)
}

func (u *uses) checkLocked(l Link) (usedUp bool, err error) {
	seen := u.links[l.ID]
	if seen.Revoked {
		return false, ErrLink
	}
	return l.MaxUses > 0 && seen.Uses >= l.MaxUses, nil
}

// claim counts a use, durably. Undo takes it back.
func (u *uses) claim(l Link, now time.Time) (undo func() error, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	usedUp, err := u.checkLocked(l)
	switch {
	case err != nil:
		return nil, err
	case usedUp:
		return nil, ErrUsedUp
	}
	if l.MaxUses == 0 {
		return func() error { return nil }, nil
	}
	seen := u.links[l.ID]
	seen.Uses++
	seen.Expires = l.Expires
	if err := u.save(l.ID, seen, now); err != nil {
		return nil, err
	}
	return sync.OnceValue(func() error { return u.giveBack(l.ID) }), nil
}

// giveBack takes a use back that has come to nothing.
func (u *uses) giveBack(id string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	seen, found := u.links[id]
	if !found || seen.Uses == 0 {
		return nil
	}
	seen.Uses--
	return u.save(id, seen, time.Now())
}

// revoke ends a link that isn't known but for its id.
func (u *uses) revoke(id string, now time.Time) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	seen, found := u.links[id]
	if !found {
		seen.Expires = now.Add(maxLinkLife).Unix()
	}
	seen.Revoked = true
	return u.save(id, seen, now)
}

// save writes down what is remembered of a link. The caller holds the lock.
func (u *uses) save(id string, seen used, now time.Time) error {
	if _, found := u.links[id]; !found && len(u.links) >= maxUsed || now.Sub(u.swept) > sweepEvery {
		if err := u.sweep(now); err != nil {
			return err
		}
		if !found && len(u.links) >= maxUsed {
			return ErrTooManyLinks
		}
	}
	data, err := json.Marshal(seen)
	if err == nil {
		err = u.folder.Write(id, data, true)
	}
	if err != nil {
		return fmt.Errorf("count use of link: %w", err)
	}
	u.links[id] = seen
	return nil
}

// sweep forgets links that have expired. The caller holds the lock.
func (u *uses) sweep(now time.Time) error {
	u.swept = now
	for id, seen := range u.links {
		if now.Unix() < seen.Expires {
			continue
		}
		if err := u.folder.Remove(id); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget link: %w", err)
		}
		delete(u.links, id)
	}
	return nil
}
