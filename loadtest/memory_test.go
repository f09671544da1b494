package loadtest_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"sluice/loadtest/payload"
	"sluice/loadtest/report"
)

// TestBodiesAreNotHeldInMemory counts all that is allocated, by both ends, while
// four times as much moves. It can't run beside other tests.
func TestBodiesAreNotHeldInMemory(t *testing.T) {
	const big = 64 << 20
	const limit = big / 4
	for _, test := range []struct {
		name, scenario string
		verify         bool
	}{
		{"put", "put", true},
		{"form", "form", true},
		{"tus", "tus", true},
		{"get", "get", true},
		{"get discarded", "get", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := payload.New(7, 0).File(0, big)
			url := startRaw(t, func(x exchange) bool {
				x.drain()
				switch x.Method {
				case "GET":
					x.reply(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", big))
					for offset := int64(0); offset < big; {
						n, err := x.conn.Write(file.At(offset))
						if err != nil {
							return false
						}
						offset += int64(n)
					}
				case "POST":
					x.reply("HTTP/1.1 201 Created\r\nLocation: /1\r\nContent-Length: 0\r\n\r\n")
				default:
					x.reply(fmt.Sprintf("HTTP/1.1 204 No Content\r\nUpload-Offset: %d\r\n\r\n", big))
				}
				return true
			})
			plan := newPlan(test.scenario, url)
			plan.Size, plan.Verify = payload.Fixed(big), test.verify
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			run := measure(t, plan, 1)
			runtime.ReadMemStats(&after)
			if err := report.NewRun(run).Err(); err != nil {
				t.Fatal(err)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > limit {
				t.Errorf("allocated %d bytes for a transfer of %d", got, big)
			}
		})
	}
}

// TestMemoryOfManyStreams counts all that a thousand streams need, beside what
// is allocated by a server that does nothing.
func TestMemoryOfManyStreams(t *testing.T) {
	const streams, size = 1000, 100_000
	const limit = 200 << 10 // for each stream and its connections at both ends
	for _, scenario := range []string{"put", "get"} {
		t.Run(scenario, func(t *testing.T) {
			file := payload.New(7, 0).File(0, size)
			url := startRaw(t, func(x exchange) bool {
				x.drain()
				if x.Method != "GET" {
					x.reply("HTTP/1.1 204 No Content\r\n\r\n")
					return true
				}
				x.reply(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size))
				for offset := int64(0); offset < size; {
					n, err := x.conn.Write(file.At(offset))
					if err != nil {
						return false
					}
					offset += int64(n)
				}
				return true
			})
			plan := newPlan(scenario, url)
			plan.Streams, plan.Files, plan.Size, plan.Objects, plan.Timeout = streams, 3, payload.Fixed(size), 1, time.Minute
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			run := measure(t, plan, 1)
			runtime.ReadMemStats(&after)
			if err := report.NewRun(run).Err(); err != nil || len(run.Transfers) != 3*streams {
				t.Fatalf("%d transfers, %v", len(run.Transfers), err)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > streams*limit {
				t.Errorf("allocated %d bytes for %d streams", got, streams)
			}
		})
	}
}

// TestDownloadOfMoreThanFourGiB counts past 32 bits, without a disk and, as far
// as the system can do that, without copying.
func TestDownloadOfMoreThanFourGiB(t *testing.T) {
	t.Parallel()
	const size = 1<<32 + 12345
	block := make([]byte, 8<<20)
	url := startRaw(t, func(x exchange) bool {
		x.drain()
		if x.Method == "HEAD" {
			x.reply(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", int64(size)))
			return true
		}
		x.reply(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", int64(size)))
		for left := int64(size); left > 0; {
			n, err := x.conn.Write(block[:min(left, int64(len(block)))])
			if err != nil {
				return false
			}
			left -= int64(n)
		}
		return true
	})
	plan := newPlan("get", url+"file")
	plan.Verify, plan.Timeout = false, time.Minute
	run := measure(t, plan, 1)
	if err := report.NewRun(run).Err(); err != nil || run.Transfers[0].Bytes != size || run.Repeats[0].Bytes != size {
		t.Errorf("%d bytes, %v", run.Transfers[0].Bytes, err)
	}
}
