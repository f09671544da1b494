//go:build !linux

package local

import (
	"errors"
	"os"
)

func setAttribute(*os.File, []byte) error { return errors.ErrUnsupported }

func getAttribute(*os.File, []byte) (int, error) { return 0, errors.ErrUnsupported }
