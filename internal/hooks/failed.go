package hooks

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// maxFailed is how many events are kept that were given up.
const maxFailed = 1000

// failed are the events that were given up, for somebody to look at.
type failed struct {
	folder Folder
	max    int
}

// keep writes an event, and removes the oldest beyond the bound.
func (f failed) keep(name string, data []byte) error {
	if err := f.folder.Write(name, data, false); err != nil {
		return fmt.Errorf("keep failed event: %w", err)
	}
	files, err := f.folder.List()
	if err != nil {
		return fmt.Errorf("list failed events: %w", err)
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return cmp.Compare(a.Name(), b.Name()) })
	var errs []error
	for _, old := range files[:max(len(files)-f.max, 0)] {
		errs = append(errs, f.folder.Remove(old.Name()))
	}
	return errors.Join(errs...)
}
