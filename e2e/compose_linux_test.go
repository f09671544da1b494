package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// The compose file is one that compose takes; what it mounts is there, nothing of
// it is open to the network, and sluice has no right that it doesn't need.
func TestCompose(t *testing.T) {
	t.Parallel()
	load := func(environ ...string) (*types.Project, error) {
		options, err := cli.NewProjectOptions([]string{"../deploy/compose.yaml"}, cli.WithEnv(environ))
		if err != nil {
			t.Fatal(err)
		}
		return options.LoadProject(t.Context())
	}
	if _, err := load(); err == nil || !strings.Contains(err.Error(), "GRAFANA_PASSWORD") {
		t.Errorf("without a password it says %v", err)
	}
	project, err := load("GRAFANA_PASSWORD=secret")
	if err != nil {
		t.Fatal(err)
	}
	for name, service := range project.Services {
		if service.Build == nil && !tagged.MatchString(service.Image) {
			t.Errorf("the image of %s isn't pinned: %s", name, service.Image)
		}
		for _, port := range service.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s is open at %s:%s", name, port.HostIP, port.Published)
			}
		}
		for _, volume := range service.Volumes {
			if volume.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(volume.Source); err != nil || !volume.ReadOnly {
				t.Errorf("%s mounts %s, read-only %t: %v", name, volume.Source, volume.ReadOnly, err)
			}
		}
	}
	sluice := project.Services["sluice"]
	if !sluice.ReadOnly || len(sluice.CapAdd) > 0 || strings.Join(sluice.CapDrop, "") != "ALL" {
		t.Errorf("sluice may do too much: %+v", sluice)
	}
	if sluice.Build == nil || read(t, filepath.Join(sluice.Build.Context, sluice.Build.Dockerfile)) == nil {
		t.Errorf("sluice is built from %+v", sluice.Build)
	}
	for _, name := range []string{"/etc/prometheus/prometheus.yml", "/etc/prometheus/rules.yml", "/etc/prometheus/alerts.yml"} {
		if !mounts(project.Services["prometheus"], name) {
			t.Errorf("Prometheus lacks %s", name)
		}
	}
	// A variable that belongs to no setting is a fault.
	command := exec.Command(suite.shipped, "config")
	command.Env = buildEnv(t)
	for name, value := range sluice.Environment {
		command.Env = append(command.Env, name+"="+*value)
	}
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("the settings are faulty: %v\n%s", err, out)
	}
}

// tagged are images with a version to the last number.
var tagged = regexp.MustCompile(`^[a-z/]+:v?\d+\.\d+\.\d+$`)

func mounts(service types.ServiceConfig, target string) bool {
	for _, volume := range service.Volumes {
		if volume.Target == target {
			return true
		}
	}
	return false
}

// buildEnv is what the Dockerfile puts into the environment.
func buildEnv(t *testing.T) []string {
	t.Helper()
	for _, in := range instructions(string(read(t, "../Dockerfile"))) {
		if in.name == "ENV" {
			return strings.Fields(in.rest)
		}
	}
	t.Fatal("the Dockerfile sets no variable")
	return nil
}
