package local

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"testing"
)

// However many ask at once, each gets the outcome of a sync of its own folder,
// and nothing is remembered afterwards.
func TestFolderSyncsShare(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.Mkdir("there", 0o755); err != nil {
		t.Fatal(err)
	}
	f := newFolderSyncs(nobody{})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := f.sync(root, "there"); err != nil {
				t.Errorf("sync: %v", err)
			}
		})
		wg.Go(func() {
			if err := f.sync(root, "missing"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("sync of what is missing: %v", err)
			}
		})
	}
	wg.Wait()
	if len(f.running) != 0 {
		t.Errorf("%d syncs are still noted", len(f.running))
	}
}
