//go:build !unix

package auth

import (
	"fmt"
	"os"
)

// lockFile fails where path is somebody else's. A process that dies leaves it.
func lockFile(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w; if nobody else is at work, remove it", err)
	}
	return func() {
		_ = file.Close()
		_ = os.Remove(path)
	}, nil
}

// syncFolder does nothing where folders can't be synced.
func syncFolder(string) error { return nil }
