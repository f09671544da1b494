package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMan(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man1")
	if got := sluice(nil, "man", dir, "--date", "2026-01-02"); got.code != 0 || got.stdout != "" {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	page, err := os.ReadFile(filepath.Join(dir, "sluice-serve.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`.TH "SLUICE-SERVE" "1" "Jan 2026" "sluice `, `\fB--block-size\fP`, `\fBsluice(1)\fP`} {
		if !strings.Contains(string(page), part) {
			t.Errorf("the page lacks %q:\n%.300s", part, page)
		}
	}
	if got := sluice(nil, "man", dir, "--date", "today"); got.code != 1 {
		t.Errorf("exit code %d", got.code)
	}
}
