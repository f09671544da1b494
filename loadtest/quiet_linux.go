package loadtest

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// settle waits until all dirty pages of the system are on disk, so that writing
// them does not slow down what is measured next.
func settle() { unix.Sync() }

// dropCaches empties the system's page cache, for which one must be root.
func dropCaches() error {
	unix.Sync()
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3\n"), 0); err != nil {
		return fmt.Errorf("drop caches (only root may): %w", err)
	}
	return nil
}
