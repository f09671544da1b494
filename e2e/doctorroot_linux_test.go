package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The doctor tells what is wrong with the folder of the files, and leaves nothing
// there.
func TestDoctorOfRoot(t *testing.T) {
	t.Parallel()
	memory, small := mountTmpfs(t, "size=16m"), mountExt4(t, "-N", "16")
	for i := 0; os.WriteFile(filepath.Join(small.dir, strconv.Itoa(i)), nil, 0o600) == nil; i++ {
	}
	open := folder(t)
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	readOnly := mountTmpfs(t, "size=1m")
	readOnly.readOnly(true)
	for _, test := range []struct {
		name, root          string
		flags               []string
		check, level, words string
	}{
		{"tmpfs", memory.dir, nil, "file system", "warning", "tmpfs: all of it is in memory"},
		{"less than has to stay free", memory.dir, []string{"--min-free", "1GB"}, "space", "problem", "every upload gets 507"},
		{"no inode", small.dir, nil, "space", "problem", "no inode is free"},
		{"no file can be made", small.dir, nil, "root", "problem", "no file can be made"},
		{"open to others", open, nil, "root", "warning", "open to every user"},
		{"read-only", readOnly.dir, nil, "root", "problem", "read-only file system"},
		{"no folder", content(t, kib), nil, "root", "problem", "no folder"},
		{"more than may be open", open, []string{"--max-connections", "1000000"}, "descriptors", "problem", "may be open"},
		{"more memory than there is", open, []string{"--buffer-memory", "1000TiB"}, "memory", "problem", "killed under load"},
		{"root", open, nil, "user", "warning", "this is root"},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := doctor(t, nil, append(test.flags, "--root", test.root)...)
			if !slices.ContainsFunc(found, func(f finding) bool {
				return f.Check == test.check && f.Level == test.level && strings.Contains(f.Text, test.words)
			}) {
				t.Errorf("no %s of %s with %q", test.level, test.check, test.words)
			}
			if left, _ := filepath.Glob(filepath.Join(test.root, ".*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// On the disk of a server that runs, with the settings that it has, there is
// nothing wrong but what the test's own machine is.
func TestDoctorOfGoodRoot(t *testing.T) {
	t.Parallel()
	s := startShipped(t)
	if err := os.Chmod(s.root, 0o750); err != nil {
		t.Fatal(err)
	}
	for _, f := range doctor(t, nil, "--root", s.root) {
		if f.Level == "problem" || f.Check == "root" || f.Check == "file system" && s.directIO {
			t.Errorf("%+v", f)
		}
	}
	s.untouched()
}
