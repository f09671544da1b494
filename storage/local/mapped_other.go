//go:build !linux

package local

import (
	"errors"
	"io"
	"os"
)

// resident reports that it isn't known what the page cache holds.
func resident(*os.File, int64, int64) bool { return false }

// cacheable reports that nothing is to be kept for the next time.
func cacheable(int64) bool { return false }

func sendMapped(io.Writer, *os.File, int64, int64) (int64, error) {
	return 0, errors.ErrUnsupported
}
