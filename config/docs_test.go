package config_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"text/template"
)

var update = flag.Bool("update", false, "write docs/CONFIG.md anew")

const docs = "../docs/CONFIG.md"

// TestDocs holds docs/CONFIG.md to the table of settings.
func TestDocs(t *testing.T) {
	want := renderDocs(t)
	if *update {
		if err := os.WriteFile(docs, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is behind the settings; write it anew by: go test ./config -run TestDocs -update", docs)
	}
}

// TestDocsExample loads the file that the page shows.
func TestDocsExample(t *testing.T) {
	t.Parallel()
	page := string(renderDocs(t))
	_, rest, _ := strings.Cut(page, "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page has no example")
	}
	if _, err := load(t, example, nil, "--config=FILE"); err != nil {
		t.Error(err)
	}
}

func renderDocs(t *testing.T) []byte {
	t.Helper()
	c, err := load(t, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.ParseFiles("testdata/CONFIG.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := tmpl.Execute(&page, c.Entries()); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}
