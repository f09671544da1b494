package transfer_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"sluice/internal/transfer"
)

func TestSnapshotJSON(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 4, 4, 5, 678_900_000, time.FixedZone("CET", 3600))
	known := transfer.Snapshot{
		ID: "00000000000000ff", Direction: transfer.Upload, Protocol: transfer.ProtocolTus,
		Name: "a/ü.bin", Client: "192.0.2.1", RequestID: "r1", Bytes: 3 << 20, Total: 0,
		Start: start, Elapsed: 1500 * time.Millisecond, Rate: 2.5e6, MeanRate: 2097152,
	}
	unknown := known
	unknown.Total = -1
	const common = `"id":"00000000000000ff","direction":"upload","protocol":"tus","name":"a/ü.bin",` +
		`"client":"192.0.2.1","request_id":"r1","bytes":3145728,`
	const times = `"start":"2026-01-02T03:04:05.678Z","elapsed_seconds":1.5,"bytes_per_second":2500000,"mean_bytes_per_second":2097152`
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{"known total", known, `{` + common + `"total":0,` + times + `}`},
		{"unknown total", unknown, `{` + common + times + `}`},
		{
			"record",
			transfer.Record{
				Snapshot: unknown, Result: transfer.ResultFailed, Status: 500,
				Reason: "Sorry.", Err: errors.New("write /secret/path: input/output error"), End: start.Add(time.Second),
				Stages: transfer.Stages{Socket: time.Second, Sync: time.Millisecond},
			},
			`{` + common + times + `,"result":"failed","status":500,"reason":"Sorry.",` +
				`"stage_seconds":{"buffer":0,"digest":0,"disk":0,"socket":1,"sync":0.001},"end":"2026-01-02T03:04:06.678Z"}`,
		},
		{
			"record without an answer",
			transfer.Record{Snapshot: unknown, Result: transfer.ResultAborted, End: start},
			`{` + common + times + `,"result":"aborted","stage_seconds":{"buffer":0,"digest":0,"disk":0,"socket":0,"sync":0},"end":"2026-01-02T03:04:05.678Z"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
