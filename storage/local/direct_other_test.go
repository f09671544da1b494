//go:build !linux

package local

import "testing"

func hasDirectIO(*testing.T, string) bool { return false }
