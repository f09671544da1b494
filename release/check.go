package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// check makes the release anew from a copy of the sources in another folder, with
// an empty build cache, and compares the sums.
func (r release) check(ctx context.Context) (err error) {
	scratch, err := os.MkdirTemp("", "sluice-again-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	again := r
	again.source = filepath.Join(scratch, "elsewhere")
	again.out = filepath.Join(scratch, "dist")
	again.env = []string{"GOCACHE=" + filepath.Join(scratch, "cache")}
	if err := os.CopyFS(again.source, sources{os.DirFS(r.source)}); err != nil {
		return err
	}
	if err := again.make(ctx); err != nil {
		return err
	}
	return sameSums(r.out, again.out)
}

// sameSums compares two releases.
func sameSums(one, other string) error {
	a, err := os.ReadFile(filepath.Join(one, sumsName))
	if err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(other, sumsName))
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return fmt.Errorf("built again, it differs:\n%s\n%s", a, b)
	}
	return nil
}

// sources is the repository without what isn't built from.
type sources struct{ fs.FS }

// ReadDir leaves those folders out.
func (s sources) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, name)
	return slices.DeleteFunc(entries, func(entry fs.DirEntry) bool {
		return entry.Name() == "node_modules" || name == "." && slices.Contains([]string{".git", ".bench", "bin", "data", "dist", "e2e"}, entry.Name())
	}), err
}
