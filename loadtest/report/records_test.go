package report_test

import (
	"bytes"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"testing"

	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// formats is all that a report can be written as.
var formats = map[string]func(*report.Report, io.Writer) error{
	"text":     (*report.Report).WriteText,
	"json":     (*report.Report).WriteJSON,
	"markdown": (*report.Report).WriteMarkdown,
	"html":     (*report.Report).WriteHTML,
}

// many is rows of two sides, with more transfers than a sample holds.
func many() []record.Row {
	var rows []record.Row
	for _, side := range []string{"a", "b"} {
		origin := record.Origin{Side: side}
		rows = append(rows, &record.Header{Origin: origin, Version: record.Version, Title: "put of side " + side})
		for i := range 5000 {
			seconds := 0.1 + math.Abs(math.Sin(float64(i)))/7
			rows = append(rows, &record.Transfer{
				Origin: origin, Scenario: "put", Direction: record.Up, Pair: 1, Repeat: 1, Stream: i, Bytes: 1e6,
				Start: seconds / 3, Due: seconds / 4, Seconds: seconds, FirstByte: seconds / 2, Finish: seconds / 11,
			})
			if i%100 == 0 {
				rows = append(rows, &record.Second{
					Origin: origin, Pair: 1, Repeat: 1, Second: i / 100, Up: int64(i) * 1e5, Length: 1 + seconds/100, InFlight: 3,
				})
			}
		}
		rows = append(rows, &record.Repeat{Origin: origin, Pair: 1, Repeat: 1, Seconds: 50.1, Bytes: 5e9, ServerCPUSeconds: 1 / 3.0})
	}
	return rows
}

// The report of a run and the one that is made again from its records are the
// same to the byte, in every format, whatever form the records have.
func TestRecordsGiveTheSameReport(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string][]record.Row{"run": exampleRun().Rows(), "comparison": many()} {
		for _, ending := range []string{".jsonl", ".csv", ".jsonl.zst", ".csv.zst"} {
			t.Run(name+ending, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), name+ending)
				file, err := record.Create(path)
				if err != nil {
					t.Fatal(err)
				}
				live, again := report.New(), report.New()
				sink := record.Tee(file, live)
				for _, row := range rows {
					if err := sink.Write(row); err != nil {
						t.Fatal(err)
					}
				}
				if err := file.Close(); err != nil {
					t.Fatal(err)
				}
				if err := record.ReadFile(path, again); err != nil {
					t.Fatal(err)
				}
				for format, write := range formats {
					var a, b bytes.Buffer
					if err := write(live, &a); err != nil {
						t.Fatal(err)
					}
					if err := write(again, &b); err != nil {
						t.Fatal(err)
					}
					if a.Len() == 0 || !bytes.Equal(a.Bytes(), b.Bytes()) {
						t.Errorf("%s of the run is\n%s\nof its records\n%s", format, a.Bytes(), b.Bytes())
					}
				}
			})
		}
	}
}

// What a run keeps doesn't grow with its transfers. It can't run beside other
// tests.
func TestMemoryOfManyTransfers(t *testing.T) {
	file, err := record.Create(filepath.Join(t.TempDir(), "run.jsonl.zst"))
	if err != nil {
		t.Fatal(err)
	}
	result := report.New()
	sink := record.Tee(file, result)
	held := func(transfers int) uint64 {
		for i := range transfers {
			row := &record.Transfer{Scenario: "put", Repeat: 1, Bytes: 1e6, Seconds: 0.1 + float64(i%1000)/1e4, FirstByte: 0.1, Finish: 0.01, Due: -0.01}
			if i%10 == 0 {
				row.Error = &record.Error{Kind: record.KindShort, Detail: "short"}
			}
			if err := sink.Write(row); err != nil {
				t.Fatal(err)
			}
			if i%100 == 0 {
				if err := sink.Write(&record.Second{Repeat: 1, Second: i, Up: 1e6, Length: 1}); err != nil {
					t.Fatal(err)
				}
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held(10_000)
	if after := held(200_000); after > before+4<<20 {
		t.Errorf("%d bytes are held after many more transfers, %d were before", after, before)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
