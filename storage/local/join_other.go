//go:build !linux

package local

import (
	"errors"
	"os"
)

func shareRange(_, _ *os.File, _, _, _ int64) error { return errors.ErrUnsupported }

func punchHole(*os.File, int64, int64) {}
