package loadtest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sluice/loadtest"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// The crowd of a side is there while its files are moved, and gone afterwards.
func TestCrowd(t *testing.T) {
	t.Parallel()
	var slow, stalled, slowBytes, seen atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count := map[bool]*atomic.Int64{true: &slow, false: &stalled}[strings.HasPrefix(path.Base(r.URL.Path), "crowd-slow-")]
		if !strings.HasPrefix(path.Base(r.URL.Path), "crowd-") {
			if r.Method == http.MethodPut && slow.Load() == 3 && stalled.Load() == 2 {
				seen.Add(1)
			}
			_, _ = io.Copy(io.Discard, r.Body)
			return
		}
		count.Add(1)
		n, _ := io.Copy(io.Discard, r.Body)
		if count == &slow {
			slowBytes.Add(n)
		}
		count.Add(-1)
	}))
	t.Cleanup(server.Close)
	plan := newVersus("put", server.URL+"/", "put", server.URL+"/")
	plan.A.Crowd = loadtest.Crowd{Slow: 3, Stalled: 2, Rate: 40_000, WarmUp: 600 * time.Millisecond}
	plan.Pairs, plan.WarmUp = 1, 0
	rows := &record.Run{}
	err := loadtest.Versus(t.Context(), plan, rows, nil)
	comparison := report.NewComparison(rows)
	if err != nil || comparison.Err() != nil {
		t.Fatal(err, comparison.Err())
	}
	if seen.Load() != 1 {
		t.Errorf("%d files were moved in the crowd, want that of A alone", seen.Load())
	}
	for deadline := time.Now().Add(10 * time.Second); slow.Load()+stalled.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d slow and %d stalled clients are still there", slow.Load(), stalled.Load())
		}
	}
	if got := slowBytes.Load(); got == 0 || got%10_000 != 0 {
		t.Errorf("the slow clients have sent %d bytes, want some chunks of 10000", got)
	}
}

// What a server has stored is synced after its answer; what isn't there can't be.
func TestSyncFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err == nil && r.Method == http.MethodPut {
			err = os.WriteFile(filepath.Join(folder, path.Base(r.URL.Path)), data, 0o600)
		}
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	plan := newPlan("put", server.URL+"/")
	for _, test := range []struct {
		folder string
		fails  bool
	}{{folder, false}, {t.TempDir(), true}} {
		plan.SyncFolder = test.folder
		run := &record.Run{}
		err := loadtest.Measure(t.Context(), plan, 1, run, nil)
		if err != nil {
			t.Fatal(err)
		}
		if failed := run.Transfers[0].Error; (failed != nil) != test.fails || failed != nil && failed.Kind != record.KindSync {
			t.Errorf("transfer ended with %v", failed)
		}
	}
}
