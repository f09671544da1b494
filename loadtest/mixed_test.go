package loadtest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/loadtest"
	"sluice/loadtest/payload"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

func TestWeights(t *testing.T) {
	t.Parallel()
	weights, err := loadtest.ParseWeights("put=3,get=5,tus,form=1")
	if err != nil || weights.String() != "put=3,get=5,tus=1,form=1" {
		t.Fatal(weights, err)
	}
	counts := map[string]int{}
	for i := range 1000 {
		counts[weights.Choose(float64(i)/1000)]++
	}
	if want := map[string]int{"put": 300, "get": 500, "tus": 100, "form": 100}; fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("chosen %v, want %v", counts, want)
	}
	for _, text := range []string{"", "put=0", "put=-1", "put=x", "put=Inf", "put=NaN", "ftp=1", "put,put", "put,,get"} {
		if got, err := loadtest.ParseWeights(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// A mix moves files by all its ways and reads what it has uploaded, whole and
// right.
func TestMixed(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"mixed", "slow", "soak"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			s, url := newStore(t)
			plan := newPlan(scenario, url+"/files/")
			plan.TusURL, plan.Objects = url+"/tus/", 3
			plan.Streams = 4
			var err error
			if plan.Size, err = payload.ParseSizes("uniform:1-20000"); err != nil {
				t.Fatal(err)
			}
			if plan.Weights, err = loadtest.ParseWeights("put,form,tus,get=3"); err != nil {
				t.Fatal(err)
			}
			switch scenario {
			case "slow":
				plan.StreamRate, plan.Files = 200_000, 10
			case "soak":
				plan.Duration, plan.Grow = 300*time.Millisecond, 50_000
			default:
				plan.Files = 30
			}
			run := measure(t, plan, 1)
			if err := report.NewRun(run).Err(); err != nil {
				t.Fatal(err)
			}
			ways, names := map[string]int{}, map[string]bool{}
			var up int64
			for _, row := range run.Transfers {
				ways[row.Scenario]++
				down := row.Scenario == "get"
				if (row.Direction == record.Down) != down || row.Bytes != row.Size || row.Checked == record.CheckedNot {
					t.Fatalf("row is %+v", row)
				}
				if down {
					names[row.URL] = true
				} else {
					up += row.Bytes
				}
			}
			if len(ways) != 4 || len(names) <= 3 {
				t.Errorf("ways %v, %d files were read", ways, len(names))
			}
			if scenario == "soak" && (up < 50_000 || up > 50_000+4*20_000) {
				t.Errorf("%d bytes were uploaded", up)
			}
			if files, uploads, _ := s.state(); files != 0 || uploads != 0 {
				t.Errorf("%d files and %d uploads are left", files, uploads)
			}
		})
	}
}

func TestSmall(t *testing.T) {
	t.Parallel()
	for _, via := range []string{"put", "form", "tus"} {
		t.Run(via, func(t *testing.T) {
			t.Parallel()
			s, url := newStore(t)
			plan := newPlan("small", url+map[bool]string{true: "/tus/", false: "/files/"}[via == "tus"])
			plan.Via, plan.Size, plan.Files, plan.Streams = via, payload.Fixed(100), 50, 4
			run := measure(t, plan, 2)
			if err := report.NewRun(run).Err(); err != nil || len(run.Transfers) != 400 {
				t.Errorf("%d transfers, %v", len(run.Transfers), err)
			}
			if files, uploads, received := s.state(); files != 0 || uploads != 0 || received != 400*100 {
				t.Errorf("%d files, %d uploads left, %d bytes", files, uploads, received)
			}
		})
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		via, path string
		plain     bool
		checked   record.Checked
	}{{"tus", "/tus/", false, "digest"}, {"tus", "/tus/", true, ""}, {"get", "/files/", false, "content"}} {
		t.Run(fmt.Sprint(test.via, test.plain), func(t *testing.T) {
			t.Parallel()
			s, url := newStore(t)
			s.plain = test.plain
			plan := newPlan("resume", url+test.path)
			plan.Via, plan.Cuts, plan.Streams = test.via, 4, 2
			run := measure(t, plan, 2)
			if err := report.NewRun(run).Err(); err != nil {
				t.Fatal(err)
			}
			for _, row := range run.Transfers {
				if row.Resumed < 1 || row.Resumed > 4 || row.Bytes != size || row.Checked != test.checked {
					t.Errorf("resumed %d times, %d bytes, checked %q", row.Resumed, row.Bytes, row.Checked)
				}
			}
			again, heads := 0, 0
			for _, request := range s.requests {
				if strings.HasPrefix(request, "HEAD ") {
					heads++
				}
				if strings.HasPrefix(request, "PATCH ") || strings.HasPrefix(request, "GET ") {
					again++
				}
			}
			if again < 8 || test.via == "tus" && heads < 4 {
				t.Errorf("%d pieces, %d times asked where to go on", again, heads)
			}
		})
	}
}

// A piece that another request has ended is asked about, but not without end.
func TestResumeInterrupted(t *testing.T) {
	t.Parallel()
	for interrupts, kind := range map[int]record.ErrorKind{3: "", 100: record.KindRefused} {
		t.Run(fmt.Sprint(interrupts), func(t *testing.T) {
			t.Parallel()
			s, url := newStore(t)
			s.interrupts = interrupts
			plan := newPlan("resume", url+"/tus/")
			plan.Via, plan.Cuts = "tus", 1
			row := measure(t, plan, 1).Transfers[0]
			if row.Error == nil != (kind == "") || row.Error != nil && row.Error.Kind != kind {
				t.Errorf("error is %v, want %q", row.Error, kind)
			}
		})
	}
}

// A server that has lost bytes it never got, or never had, is found out.
func TestResumeFromAnywhere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, offset string
		kind         record.ErrorKind
	}{{"more than was sent", "99999999", record.KindProtocol}, {"nothing of it known", "", record.KindProtocol}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url := startRaw(t, func(x exchange) bool {
				switch x.Method {
				case "POST":
					x.reply("HTTP/1.1 201 Created\r\nLocation: /1\r\nContent-Length: 0\r\n\r\n")
				case "HEAD":
					x.reply("HTTP/1.1 200 OK\r\nUpload-Offset: " + test.offset + "\r\n\r\n")
				case "PATCH":
					x.drain()
					return false
				default:
					x.reply("HTTP/1.1 204 No Content\r\n\r\n")
				}
				return true
			})
			plan := newPlan("resume", url)
			plan.Via, plan.Cuts = "tus", 1
			row := measure(t, plan, 1).Transfers[0]
			if row.Error == nil || row.Error.Kind != test.kind {
				t.Errorf("error is %v", row.Error)
			}
		})
	}
}
