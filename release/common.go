package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is one of an archive.
type file struct {
	name string // in the archive, with slashes
	path string // here
	mode fs.FileMode
}

// documents are what goes along as it stands in the repository, where it is there.
var documents = []string{"README.md", "CHANGELOG.md", "LICENSE", "docs", "deploy/nginx", "deploy/caddy", "deploy/haproxy", "deploy/systemd", "deploy/prometheus"}

// shells are those that completions are made for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// common is what all archives hold: documents, examples, and what the program
// itself tells of its commands.
func (r release) common(ctx context.Context, scratch string) ([]file, error) {
	program := filepath.Join(scratch, "sluice-here")
	if err := r.build(ctx, program); err != nil {
		return nil, err
	}
	made := filepath.Join(scratch, "made")
	manual := exec.CommandContext(ctx, program, "man", filepath.Join(made, "man", "man1"), "--date", r.date.Format(time.DateOnly))
	if out, err := manual.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("manual pages: %w\n%s", err, out)
	}
	for _, shell := range shells {
		text, err := exec.CommandContext(ctx, program, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("completion of %s: %w", shell, err)
		}
		path := filepath.Join(made, "completions", "sluice."+shell)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return nil, err
		}
	}
	files, err := filesBelow(made, ".")
	if err != nil {
		return nil, err
	}
	for _, name := range documents {
		below, err := filesBelow(r.source, name)
		if err != nil {
			return nil, err
		}
		files = append(files, below...)
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, nil
}

// filesBelow lists a file or all files of a folder. One that isn't there is empty.
func filesBelow(top, name string) ([]file, error) {
	var files []file
	err := filepath.WalkDir(filepath.Join(top, name), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inside, err := filepath.Rel(top, path)
		files = append(files, file{filepath.ToSlash(inside), path, 0o644})
		return err
	})
	if os.IsNotExist(err) {
		return nil, nil
	}
	return files, err
}
