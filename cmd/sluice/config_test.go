package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConfigPrintsSources(t *testing.T) {
	t.Parallel()
	got := sluice([]string{"SLUICE_ROOT=/srv"}, "config", "--block-size=1024KiB", "--blocks-per-transfer=3")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	for _, line := range []string{
		"listen: 127.0.0.1:8080\n",
		"root: /srv # environment SLUICE_ROOT\n",
		"block-size: 1MiB # flag --block-size\n",
		"blocks-per-transfer: 3 # flag --blocks-per-transfer\n",
		"idle-timeout: 30s\n",
	} {
		if !strings.Contains(got.stdout, line) {
			t.Errorf("output lacks %q:\n%s", line, got.stdout)
		}
	}
}

// TestConfigReadsItself feeds the output of sluice config to sluice config.
func TestConfigReadsItself(t *testing.T) {
	t.Parallel()
	roots := map[string]string{
		"plain": "./data", "number": "0123", "word of YAML": "true", "comment": "a #b: c", "date": "2026-01-02",
		"null": "~", "quotes": `"it's"`, "line feed": "a\nb", "unicode": "größe",
	}
	for name, root := range roots {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flags := []string{"--admin-listen=", "--buffer-memory=600000", "--keep-alive-timeout=90s", "--log-level=warn"}
			first := sluice(nil, append([]string{"config", "--root", root}, flags...)...)
			file := filepath.Join(t.TempDir(), "sluice.yaml")
			if err := os.WriteFile(file, []byte(first.stdout), 0o600); err != nil {
				t.Fatal(err)
			}
			second := sluice(nil, "config", "--config", file)
			if second.code != 0 {
				t.Fatalf("exit code %d: %s\n%s", second.code, second.stderr, first.stdout)
			}
			if got, want := withoutComments(second.stdout), withoutComments(first.stdout); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func withoutComments(settings string) string {
	lines := strings.Split(settings, "\n")
	for i, line := range lines {
		for _, source := range []string{" # flag ", " # file "} {
			line, _, _ = strings.Cut(line, source)
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
