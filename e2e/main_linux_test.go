package e2e_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// suite is what all tests share.
var suite struct {
	scratch string // folder on a disk, removed at the end
	shipped string // the binary as it is shipped
	race    string // the binary with the race detector

	authority authority // whose certificates every client trusts
}

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	parent, err := diskFolder()
	if err != nil {
		return 0, err
	}
	if suite.scratch, err = os.MkdirTemp(parent, "sluice-e2e-"); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(suite.scratch)) }()
	if err := makeAuthority(); err != nil {
		return 0, err
	}
	if suite.shipped, err = build("sluice", []string{"CGO_ENABLED=0"}); err != nil {
		return 0, err
	}
	if suite.race, err = build("sluice-race", []string{"CGO_ENABLED=1"}, "-race"); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// diskFolder is the folder for temporary files, or the working folder where
// that one lies in memory: what a disk does is part of what is tested.
func diskFolder() (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(os.TempDir(), &st); err != nil {
		return "", fmt.Errorf("statfs %s: %w", os.TempDir(), err)
	}
	if st.Type != unix.TMPFS_MAGIC {
		return os.TempDir(), nil
	}
	return os.Getwd()
}

// noteSources looks into the folders of the module. The go command notes what
// tests look at, so it repeats them, rather than recall their result, once the
// program that they run has changed. Nothing is noted before tests run.
var noteSources = sync.OnceValue(func() error {
	return filepath.WalkDir("..", func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(noSources, entry.Name()) || entry.Name() == filepath.Base(suite.scratch) {
			return fs.SkipDir
		}
		return nil
	})
})

// noSources are names of folders that hold what changes by itself.
var noSources = []string{".git", "bin", "data", "node_modules"}

// build compiles the program into the scratch folder.
func build(name string, env []string, flags ...string) (string, error) {
	path := filepath.Join(suite.scratch, name)
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", path}, flags...)
	cmd := exec.Command("go", append(args, "sluice/cmd/sluice")...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// packages is where Debian keeps the tools that the tests need.
var packages = map[string]string{
	"caddy":           "caddy",
	"chromium":        "chromium",
	"chroot":          "coreutils",
	"curl":            "curl",
	"haproxy":         "haproxy",
	"mkfs.ext4":       "e2fsprogs",
	"mount":           "mount",
	"nginx":           "nginx",
	"node":            "nodejs",
	"prlimit":         "util-linux",
	"promtool":        "prometheus",
	"script":          "bsdutils",
	"setpriv":         "util-linux",
	"sslscan":         "sslscan",
	"strace":          "strace",
	"systemd-analyze": "systemd",
	"tar":             "tar",
	"testssl":         "testssl.sh",
	"unzip":           "unzip",
}

// tool finds a program. A missing one is a failure: a test that is left out
// unseen protects nothing.
func tool(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is missing: install Debian's package %s", name, packages[name])
	}
	return path, nil
}

// toolCommand is the command of a program that must be there.
func toolCommand(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := tool(name)
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, args...)
}

// folder makes a folder of the test's own on the disk.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(suite.scratch, "test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
