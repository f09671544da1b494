package loadtest_test

import (
	"fmt"
	"runtime"
	"testing"

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
