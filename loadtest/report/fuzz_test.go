package report_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// FuzzReport holds that whatever can be read as records makes a report, or is an
// error.
func FuzzReport(f *testing.F) {
	var seed bytes.Buffer
	for _, row := range append(exampleRun().Rows(), &record.Usage{Repeat: 1, At: 1, ServerRSS: 5}, &record.Metrics{Counts: true}, &record.Lost{}) {
		line, err := record.Marshal(row)
		if err != nil {
			f.Fatal(err)
		}
		seed.Write(append(line, '\n'))
	}
	f.Add(seed.Bytes())
	f.Add([]byte(`{"row":"repeat","label":"1KB","repeat":1,"seconds":1e-300,"bytes":9e18}` + "\n" + `{"row":"repeat","label":"2KB","repeat":1,"seconds":1,"bytes":1}`))
	f.Add([]byte(`{"row":"second","second":-5,"length":1e-9,"bytes_up":-4}` + "\n" + `{"row":"second","second":2000000000,"length":1e300}`))
	f.Add([]byte(`{"row":"leftover"}` + "\n" + `{"row":"transfer","side":"a","bytes":-1,"seconds":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "run.jsonl")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r := report.New()
		_ = record.ReadFile(file, r)
		for _, write := range formats {
			_ = write(r, io.Discard)
		}
	})
}
