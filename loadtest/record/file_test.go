package record_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"sluice/loadtest/record"
)

// rows has one of each kind, every field with a value of its own.
func rows(t *testing.T) []record.Row {
	t.Helper()
	var filled []record.Row
	for _, row := range []record.Row{
		new(record.Header), new(record.Transfer), new(record.Second), new(record.Usage), new(record.Repeat), new(record.Leftover),
		new(record.Metrics), new(record.Lost),
	} {
		n := 0
		fill(reflect.ValueOf(row).Elem(), &n)
		if h, ok := row.(*record.Header); ok {
			h.Version, h.Plan = record.Version, json.RawMessage(`{"url":"http://h/a,b","size":3}`)
			h.Started = time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
		}
		filled = append(filled, row)
	}
	return append(filled, &record.Transfer{Repeat: 1})
}

func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" && v.Field(i).CanSet() {
				fill(v.Field(i), n)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Map:
		v.Set(reflect.ValueOf(record.Changes{`a{b="c,d"}`: 1.5}))
	case reflect.String:
		v.SetString("a \"b\",\n" + string(rune('a'+*n%26)))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(1<<63 + uint64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 3)
	}
}

// collected is a sink that keeps rows of all kinds in their order.
type collected []record.Row

func (c *collected) Write(row record.Row) error {
	*c = append(*c, row)
	return nil
}

func TestFilesKeepEveryField(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"run.jsonl", "run.csv", "run.jsonl.zst", "run.csv.zst"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), name)
			want := rows(t)
			write(t, path, want)
			var got collected
			if err := record.ReadFile(path, &got); err != nil {
				t.Fatal(err)
			}
			for i, row := range want {
				if !reflect.DeepEqual(got[i], row) {
					t.Errorf("row is %+v, was %+v", got[i], row)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d rows, want %d", len(got), len(want))
			}
		})
	}
}

func write(t *testing.T, path string, rows []record.Row) {
	t.Helper()
	file, err := record.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := file.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// What a tester leaves that is killed can be read up to the last second, and does
// not pass for the whole.
func TestFilesThatAreCutShort(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"run.jsonl", "run.csv", "run.jsonl.zst", "run.csv.zst"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), name)
			file, err := record.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			for _, row := range []record.Row{&record.Transfer{Repeat: 1}, &record.Second{Repeat: 1}} {
				if err := file.Write(row); err != nil {
					t.Fatal(err)
				}
			}
			var got collected
			if err := record.ReadFile(path, &got); !errors.Is(err, record.ErrTruncated) || len(got) != 2 {
				t.Errorf("%d rows and error %v", len(got), err)
			}
		})
	}
}

func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	if _, err := record.Create(filepath.Join(t.TempDir(), "run.json")); err == nil {
		t.Error("created records in no known form")
	}
	for name, content := range map[string]string{
		"kind.jsonl":    `{"row":"elephant"}` + "\n",
		"version.jsonl": `{"row":"header","version":2}` + "\n",
		"text.jsonl":    "text\n",
		"text.csv":      "text\n",
		"zstd.csv.zst":  "text\n",
		"field.csv":     "row,repeat\ntransfer,many\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := record.ReadFile(path, new(collected)); err == nil || errors.Is(err, record.ErrTruncated) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

// FuzzRead holds that no records make the reader fail otherwise than by an error,
// and that rows which could be read are written as they were.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"row":"transfer","repeat":1,"error":{"kind":"short"}}`+"\n"+`{"row":"end","rows":1}`), false)
	f.Add([]byte("row,repeat,seconds\nrepeat,1,0.5\nend,,\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, isTable bool) {
		name := "run.jsonl"
		if isTable {
			name = "run.csv"
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var got, again collected
		_ = record.ReadFile(path, &got)
		write(t, path, got)
		if err := record.ReadFile(path, &again); err != nil {
			t.Fatalf("rows that were read can't be read again: %v", err)
		}
		if len(got) != len(again) {
			t.Errorf("%d rows became %d", len(got), len(again))
		}
	})
}
