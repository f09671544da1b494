//go:build !linux

package loadtest

import (
	"fmt"
	"runtime"
)

// settle does nothing: there is no portable way.
func settle() {}

func dropCaches() error {
	return fmt.Errorf("drop caches: not supported on %s, give a command that does it", runtime.GOOS)
}
