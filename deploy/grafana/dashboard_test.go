package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

var update = flag.Bool("update", false, "write the dashboard instead of comparing with it")

const file = "dashboards/sluice.json"

func TestDashboardIsUpToDate(t *testing.T) {
	text, err := render()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, text) {
		t.Errorf("%s is out of date: go run . > %s", file, file)
	}
}

// The model is what the SDK's schema says, and nothing else.
func TestSchema(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	//lint:ignore SA1019 Every Grafana reads this model, and only the newest ones version 2.
	var model dashboard.Dashboard
	for _, err := range []error{model.UnmarshalJSONStrict(text), model.Validate()} {
		// The SDK makes an error of a list of none.
		if list := (cog.BuildErrors{}); err != nil && (!errors.As(err, &list) || len(list) > 0) {
			t.Error(err)
		}
	}
	if len(model.Panels) < len(rows) {
		t.Errorf("%d panels", len(model.Panels))
	}
}

// Data sources are the reader's choice: no other is named anywhere.
func TestNoDatasourceOfOurOwn(t *testing.T) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var model any
	if err := json.Unmarshal(text, &model); err != nil {
		t.Fatal(err)
	}
	found := 0
	walk(model, func(key string, value any) {
		ref, isRef := value.(map[string]any)
		if key != "datasource" || !isRef {
			return
		}
		found++
		if ref["uid"] != "${datasource}" || ref["type"] != "prometheus" {
			t.Errorf("data source %v", ref)
		}
	})
	if found == 0 {
		t.Error("no data source is named")
	}
}

// walk visits every member of every object.
func walk(node any, visit func(key string, value any)) {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			visit(key, value)
			walk(value, visit)
		}
	case []any:
		for _, value := range node {
			walk(value, visit)
		}
	}
}

func eachPanel(visit func(row, panel)) {
	for _, row := range rows {
		for _, panel := range row.panels {
			visit(row, panel)
		}
	}
}

// The constants of the SDK are the units that Grafana knows.
func TestUnits(t *testing.T) {
	known := knownUnits(t)
	eachPanel(func(_ row, p panel) {
		if !known[p.unit] {
			t.Errorf("%s: Grafana knows no unit %q", p.title, p.unit)
		}
	})
}

func knownUnits(t *testing.T) map[string]bool {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/grafana/grafana-foundation-sdk/go/units").Output()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no source of units", err)
	}
	known := make(map[string]bool)
	for _, path := range paths {
		source, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(source, func(node ast.Node) bool {
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				unit, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				known[unit] = true
			}
			return true
		})
	}
	return known
}

// Rows are filled from edge to edge, every panel says what it shows, and has a
// title that is its own within the row.
func TestLayout(t *testing.T) {
	for _, row := range rows {
		titles := make(map[string]bool)
		var line uint32
		for _, p := range row.panels {
			if p.about == "" || len(p.queries) == 0 || titles[p.title] {
				t.Errorf("%s, %s: wants an explanation, queries, and a title that no other has", row.title, p.title)
			}
			titles[p.title] = true
			if line += p.width; line == 24 {
				line = 0
			}
			if line > 24 {
				t.Errorf("%s, %s: the line is %d wide", row.title, p.title, line)
			}
		}
		if line != 0 {
			t.Errorf("%s: the last line is %d of 24 wide", row.title, line)
		}
	}
}
