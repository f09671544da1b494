package experiment_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/loadtest/experiment"
	"sluice/loadtest/report"
)

var programFolder string

// program builds the server that the experiments start.
var program = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "experiment-")
	if err != nil {
		return "", err
	}
	programFolder = folder
	path := filepath.Join(folder, "sluice")
	out, err := exec.Command("go", "build", "-o", path, "sluice/cmd/sluice").CombinedOutput()
	if err != nil {
		return "", &buildError{err, out}
	}
	return path, nil
})

type buildError struct {
	error
	output []byte
}

func (e *buildError) Error() string { return e.error.Error() + "\n" + string(e.output) }

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(programFolder) // nothing to remove where no test has run
	os.Exit(code)
}

// Each experiment runs, in small, to the end: old figures beside new ones, no
// failures, nothing left, and a page without an empty chart.
func TestExperiments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		run  func(context.Context, experiment.Options) ([]report.Section, error)
		// want are cells that must be there, and rows how many the first table has.
		want []string
		rows int
	}{
		{"upload-buffers", func(ctx context.Context, o experiment.Options) ([]report.Section, error) {
			return experiment.UploadBuffers(ctx, o, 2)
		}, []string{"2008: Swazoo/Aida (Squeak)", "+20 %", "today: sluice, form", "today: sluice, put", "8KiB", "30MiB", "1463308288", "memory flat"}, 15},
		{"soak", func(ctx context.Context, o experiment.Options) ([]report.Section, error) {
			return experiment.Soak(ctx, o, experiment.SoakPlan{Duration: 2500 * time.Millisecond, Memory: 1 << 20, Multiple: 4, Streams: 2, Size: 10_000})
		}, []string{"2010, last against first", "0.57", "today, last against first"}, 5},
		{"line", experiment.LineOfCosts, []string{"raw TCP copy", "put", "form", "tus", "get", "LfS", "4 B to 64 KiB"}, 10},
		{"responses", func(ctx context.Context, o experiment.Options) ([]report.Section, error) {
			return experiment.Responses(ctx, o, experiment.ResponsesPlan{Probe: 100 * time.Millisecond})
		}, []string{"old: Squeak, raw sockets", "today: raw accept loop", "today: sluice", "10 MB"}, 19},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			binary, err := program()
			if err != nil {
				t.Fatal(err)
			}
			result := report.New()
			folder := t.TempDir()
			sections, err := test.run(t.Context(), experiment.Options{Program: binary, Folder: folder, Seed: 1, Scale: 0.001, Sink: result})
			if err != nil {
				t.Fatal(err)
			}
			if err := result.Err(); err != nil && test.name != "responses" { // rates may be too much for a busy machine
				t.Error(err)
			}
			result.Lead = sections
			var text, page strings.Builder
			if err := result.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			if err := result.WriteHTML(&page); err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(text.String(), want) {
					t.Errorf("the report lacks %q", want)
				}
			}
			if rows := len(sections[0].Table.Rows); rows < test.rows {
				t.Errorf("%d rows in the first table, want %d", rows, test.rows)
			}
			if t.Failed() {
				t.Log(text.String())
			}
			if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 {
				t.Errorf("left are %v", left)
			}
		})
	}
}
