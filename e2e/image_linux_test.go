package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// bindReadOnly shows a folder once more, so that nothing in it can be written but
// what is below the volumes.
func bindReadOnly(t *testing.T, root string, volumes []string) string {
	t.Helper()
	d := &disk{t, folder(t)}
	if err := unix.Mount(root, d.dir, "", unix.MS_BIND, ""); err != nil {
		t.Fatalf("mount (needs root): %v", err)
	}
	t.Cleanup(d.unmount)
	if err := unix.Mount("", d.dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, volume := range volumes {
		v := &disk{t, filepath.Join(d.dir, volume)}
		if err := unix.Mount(filepath.Join(root, volume), v.dir, "", unix.MS_BIND, ""); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(v.unmount)
	}
	return d.dir
}

// The image that the Dockerfile makes holds little, serves as a user that isn't
// root, writes to its volume alone, and knows whether it is well.
func TestImage(t *testing.T) {
	t.Parallel()
	i := buildImage(t)
	var holds []string
	entries, err := os.ReadDir(i.root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		holds = append(holds, entry.Name())
	}
	if got := strings.Join(holds, " "); got != "data etc sluice" {
		t.Errorf("the image holds %s", got)
	}
	for _, name := range []string{"SLUICE_ROOT=/data", "SLUICE_LISTEN=0.0.0.0:8080", "SLUICE_ADMIN_LISTEN=0.0.0.0:9180"} {
		if !strings.Contains(strings.Join(i.env, " ")+" ", name+" ") {
			t.Errorf("the image lacks %s", name)
		}
	}
	admin := fixedAddr(t)
	s, inside := i.start(t, "--admin-listen", admin)
	healthy := func() error {
		return inside(i.health, "SLUICE_ADMIN_LISTEN="+admin).Run()
	}
	if err := healthy(); err != nil {
		t.Errorf("the health check fails: %v", err)
	}
	s.sendByEachWay(content(t, 3*mib))
	uid, _ := i.ids(t)
	if owner := ownerOf(t, s.file("again")); owner != uid {
		t.Errorf("files belong to user %d", owner)
	}
	s.terminate()
	s.wait()
	if healthy() == nil {
		t.Error("the health check passes though nothing runs")
	}
}

func ownerOf(t *testing.T, path string) int {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	return int(st.Uid)
}

// The linter has nothing to say.
func TestDockerfileLint(t *testing.T) {
	t.Parallel()
	const linter = "lint/node_modules/dockerfilelint/bin/dockerfilelint"
	if _, err := os.Stat(linter); err != nil {
		t.Fatalf("%v: run npm ci --prefix e2e/lint (npm is in Debian's package npm)", err)
	}
	if out, err := toolCommand(t, "node", linter, "../Dockerfile").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	bad := write(t, "Dockerfile", []byte("FROM debian:latest\nRUN sudo apt-get install x\n"))
	if err := toolCommand(t, "node", linter, bad).Run(); err == nil {
		t.Error("the linter takes anything")
	}
}
