package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// syncs is how many are measured.
	syncs = 9
	// slowSync is what every upload would have to wait for at its end, and small
	// ones for little else.
	slowSync = 50 * time.Millisecond
)

// syncing measures what it costs to make a small file lasting.
func syncing(m Machine, f *findings) {
	dir, err := scratch(m.Root)
	if err != nil {
		return // root has told
	}
	defer os.RemoveAll(dir)
	var took []time.Duration
	for range syncs {
		began := time.Now()
		if err := writeSynced(filepath.Join(dir, "sync")); err != nil {
			f.problem(setting("system", "look at the disk's health: dmesg, smartctl"), "%v", err)
			return
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	median, slowest := took[syncs/2].Round(time.Millisecond/100), took[syncs-1].Round(time.Millisecond/100)
	if median > slowSync {
		f.warn([]Remedy{{"system", "a disk with a cache that survives a loss of power"}, {"sluice", "--durability none, if files may be lost with the power"}},
			"a small file takes %s to be lasting, at most %s: so long does each upload wait at its end", median, slowest)
		return
	}
	f.ok("a small file takes %s to be lasting, at most %s", median, slowest)
}

func writeSynced(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(make([]byte, 4096)); err != nil {
		return err
	}
	return file.Sync()
}
