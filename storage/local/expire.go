package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"sluice/storage"
)

// Expire drops the resumable uploads that nothing has happened to since before:
// unfinished ones with their data, finished ones with their state alone. One
// that is being written to is never dropped. It returns what they
// were.
func (s *Store) Expire(ctx context.Context, before time.Time) (expired []storage.ResumableInfo, err error) {
	names, err := s.uploadFiles()
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, name := range names {
		id, isInfo := strings.CutSuffix(name, infoExt)
		if !isInfo || ctx.Err() != nil {
			continue
		}
		switch dropped, err := s.expireOne(ctx, id, before); {
		case err != nil:
			errs = append(errs, fmt.Errorf("expire %s: %w", id, err))
		case dropped != nil:
			expired = append(expired, dropped.Info())
		}
	}
	return expired, errors.Join(errs...)
}

// expireOne returns the upload if it has dropped it.
func (s *Store) expireOne(ctx context.Context, id string, before time.Time) (*resumable, error) {
	if !s.pending.seize(id) {
		return nil, nil
	}
	defer s.pending.yield(id)
	last, err := s.lastChange(id)
	if err != nil || !last.Before(before) {
		return nil, err
	}
	r, err := s.load(id)
	if err != nil {
		return nil, err
	}
	return r, r.Drop(ctx)
}

// lastChange is when the state or the data of an upload was last written.
func (s *Store) lastChange(id string) (time.Time, error) {
	var last time.Time
	for _, name := range []string{id + infoExt, id} {
		info, err := s.root.Lstat(path.Join(uploadsDir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return last, err
		}
		if info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last, nil
}
