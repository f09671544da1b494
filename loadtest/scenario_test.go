package loadtest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/loadtest"
	"sluice/loadtest/payload"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// size is that of the files in most tests: several blocks and an odd end.
const size = 3*payload.BlockSize + 17

// newPlan returns a plan for one small file.
func newPlan(scenario, url string) loadtest.Plan {
	return loadtest.Plan{
		Scenario: scenario,
		URL:      url,
		Size:     payload.Fixed(size),
		Streams:  1,
		Seed:     7,
		Verify:   true,
		Timeout:  10 * time.Second,
	}
}

// measure runs the plan and fails the test if the run could not be completed.
func measure(t *testing.T, plan loadtest.Plan, repeats int) *record.Run {
	t.Helper()
	rows := &record.Run{}
	if err := loadtest.Measure(t.Context(), plan, repeats, rows, nil); err != nil {
		t.Fatalf("measure: %v", err)
	}
	return rows
}

func TestScenariosCountAndCleanUp(t *testing.T) {
	t.Parallel()
	const streams, repeats = 3, 2
	for _, test := range []struct {
		name, scenario, path string
		chunk, ranges, size  int64
		parallel             int
		deferred             bool
		plain, keep          bool
		checked              record.Checked
		files, uploads       int // left at the end
	}{
		{name: "put", scenario: "put", path: "/files/", size: size, checked: "digest"},
		{name: "put kept", scenario: "put", path: "/files/", size: size, checked: "digest", keep: true, files: 6},
		{name: "put plain", scenario: "put", path: "/", size: size, plain: true},
		{name: "put empty", scenario: "put", path: "/", checked: "digest"},
		{name: "form", scenario: "form", path: "/files/", size: size, checked: "digest"},
		{name: "form kept", scenario: "form", path: "/files/", size: size, checked: "digest", keep: true, files: 6},
		{name: "form plain", scenario: "form", path: "/files/", size: size, plain: true},
		{name: "tus", scenario: "tus", path: "/tus/", size: size, checked: "digest"},
		{name: "tus kept", scenario: "tus", path: "/tus/", size: size, checked: "digest", keep: true, files: 6},
		{name: "tus plain", scenario: "tus", path: "/tus/", size: size, plain: true},
		{name: "tus plain kept", scenario: "tus", path: "/tus/", size: size, plain: true, keep: true, uploads: 6},
		{name: "tus chunks", scenario: "tus", path: "/tus/", size: size, chunk: 1000003, checked: "digest"},
		{name: "tus parts", scenario: "tus", path: "/tus/", size: size, parallel: 3, checked: "digest"},
		{name: "tus parts in chunks of unknown length", scenario: "tus", path: "/tus/", size: size, parallel: 4, chunk: 500009, deferred: true, checked: "digest"},
		{name: "tus parts plain", scenario: "tus", path: "/tus/", size: size, parallel: 2, plain: true},
		{name: "tus of unknown length", scenario: "tus", path: "/tus/", size: size, deferred: true, checked: "digest"},
		{name: "tus of unknown length in chunks", scenario: "tus", path: "/tus/", size: size, deferred: true, chunk: 1000003, checked: "digest"},
		{name: "tus empty", scenario: "tus", path: "/tus/", plain: true},
		{name: "tus empty of unknown length", scenario: "tus", path: "/tus/", deferred: true, checked: "digest"},
		{name: "get ranges", scenario: "get", path: "/files/", size: size, ranges: 1000003, checked: "content"},
		{name: "get ranges larger than it", scenario: "get", path: "/files/", size: 10, ranges: 11, checked: "content"},
		{name: "get", scenario: "get", path: "/files/", size: size, checked: "content"},
		{name: "get kept", scenario: "get", path: "/files/", size: size, checked: "content", keep: true, files: 3},
		{name: "get plain", scenario: "get", path: "/files/", size: size, plain: true, checked: "content"},
		{name: "get empty", scenario: "get", path: "/files/", checked: "content"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, url := newStore(t)
			s.plain = test.plain
			plan := newPlan(test.scenario, url+test.path)
			plan.Streams, plan.Size, plan.Chunk, plan.Keep = streams, payload.Fixed(test.size), test.chunk, test.keep
			plan.Range, plan.Parallel, plan.Deferred = test.ranges, test.parallel, test.deferred
			run := measure(t, plan, repeats)

			if err := report.NewRun(run).Err(); err != nil {
				t.Error(err)
			}
			if len(run.Repeats) != repeats || len(run.Transfers) != streams*repeats {
				t.Fatalf("%d repeats, %d transfers", len(run.Repeats), len(run.Transfers))
			}
			for _, row := range run.Transfers {
				if row.Bytes != test.size || row.Checked != test.checked {
					t.Errorf("repeat %d, stream %d: %d bytes, checked %q", row.Repeat, row.Stream, row.Bytes, row.Checked)
				}
			}
			if want := streams * test.size; run.Repeats[1].Bytes != want {
				t.Errorf("repeat: %d bytes, want %d", run.Repeats[1].Bytes, want)
			}
			uploaded := streams * repeats * test.size
			if test.scenario == "get" {
				uploaded = streams * test.size
			}
			files, uploads, received := s.state()
			if files != test.files || uploads != test.uploads {
				t.Errorf("%d files and %d uploads are left, want %d and %d", files, uploads, test.files, test.uploads)
			}
			if received != uploaded {
				t.Errorf("server received %d bytes, want %d", received, uploaded)
			}
		})
	}
}

func TestKeptFilesAreDifferent(t *testing.T) {
	t.Parallel()
	s, url := newStore(t)
	plan := newPlan("put", url+"/files/")
	plan.Streams, plan.Size, plan.Keep = 2, payload.Fixed(5000), true
	measure(t, plan, 2)
	seen := map[string]string{}
	for name, data := range s.files {
		if other, found := seen[digest(data)]; found {
			t.Errorf("%s and %s have the same content", name, other)
		}
		seen[digest(data)] = name
	}
	if _, found := s.files["/files/load-7-2-1.bin"]; !found || len(s.files) != 4 {
		t.Errorf("files are %v", seen)
	}
}

func TestChunksArePatches(t *testing.T) {
	t.Parallel()
	s, url := newStore(t)
	plan := newPlan("tus", url+"/tus/")
	plan.Chunk = payload.BlockSize
	measure(t, plan, 1)
	patches := 0
	for _, r := range s.requests {
		if strings.HasPrefix(r, "PATCH ") {
			patches++
		}
	}
	if patches != 4 {
		t.Errorf("%d PATCHes for 3 blocks and 17 bytes: %v", patches, s.requests)
	}
}

func TestGetOfExistingFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		plain   bool
		checked []record.Checked
	}{
		{"with digest", false, []record.Checked{"digest", "digest"}},
		{"without digest", true, []record.Checked{"", "same"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, url := newStore(t)
			s.plain = test.plain
			s.files["/x.bin"] = []byte("not from the payload")
			run := measure(t, newPlan("get", url+"/x.bin"), 2)
			if err := report.NewRun(run).Err(); err != nil {
				t.Error(err)
			}
			checked := []record.Checked{run.Transfers[0].Checked, run.Transfers[1].Checked}
			if !slices.Equal(checked, test.checked) || run.Transfers[0].Bytes != 20 {
				t.Errorf("checked %q, %d bytes", checked, run.Transfers[0].Bytes)
			}
			if title := run.Headers[0].Title; !strings.Contains(title, "20B") || run.Transfers[0].Size != 20 {
				t.Errorf("title is %q, size in its row %d", title, run.Transfers[0].Size)
			}
			if s.files["/x.bin"] == nil {
				t.Error("the file, which was there before, has been removed")
			}
		})
	}
}

// Many streams may download the same file, ours or not.
func TestManyGetsOfOneFile(t *testing.T) {
	t.Parallel()
	s, url := newStore(t)
	s.files["/x.bin"] = []byte("not from the payload")
	for _, name := range []string{"/x.bin", "/y.bin"} {
		plan := newPlan("get", url+name)
		plan.Streams, plan.Files = 3, 2
		run := measure(t, plan, 1)
		if err := report.NewRun(run).Err(); err != nil || len(run.Transfers) != 6 || distinct(run.Transfers) != 1 {
			t.Errorf("%s: %d transfers of %d files, %v", name, len(run.Transfers), distinct(run.Transfers), err)
		}
	}
}

func TestGetOfMissingFilePutsIt(t *testing.T) {
	t.Parallel()
	s, url := newStore(t)
	run := measure(t, newPlan("get", url+"/x.bin"), 1)
	if run.Transfers[0].Checked != record.CheckedContent {
		t.Errorf("checked %q", run.Transfers[0].Checked)
	}
	if want := []string{"HEAD /x.bin", "PUT /x.bin", "GET /x.bin", "DELETE /x.bin"}; !slices.Equal(s.requests, want) {
		t.Errorf("requests %q, want %q", s.requests, want)
	}
}

// A stream moves its files one after the other, each of them a transfer and a
// content of its own.
func TestManyFilesPerStream(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"put", "form", "tus", "get"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			s, url := newStore(t)
			path := "/files/"
			if scenario == "tus" {
				path = "/tus/"
			}
			plan := newPlan(scenario, url+path)
			plan.Streams, plan.Files, plan.Size, plan.Keep = 2, 5, payload.Fixed(4096), scenario != "get"
			run := measure(t, plan, 2)
			if err := report.NewRun(run).Err(); err != nil || len(run.Transfers) != 20 {
				t.Fatalf("%d transfers, %v", len(run.Transfers), err)
			}
			if files, _, _ := s.state(); scenario != "get" && files != 20 {
				t.Errorf("%d files were kept", files)
			}
			if want := int64(10 * 4096); run.Repeats[1].Bytes != want {
				t.Errorf("%d bytes in a repeat, want %d", run.Repeats[1].Bytes, want)
			}
		})
	}
}
