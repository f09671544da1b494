package loadtest_test

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/dustin/go-humanize"

	"sluice/loadtest"
	"sluice/loadtest/payload"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// BenchmarkScenario measures what the tester itself costs, against a server that
// does nothing: processor seconds per GB of both ends.
func BenchmarkScenario(b *testing.B) {
	for _, bench := range []struct {
		name, scenario string
		verify         bool
	}{
		{"put", "put", true},
		{"get/verify", "get", true},
		{"get/discard", "get", false},
	} {
		b.Run(bench.name, func(b *testing.B) {
			address, pid := startPeer(b)
			plan := loadtest.Plan{
				Scenario: bench.scenario,
				URL:      "http://" + address + "/",
				Size:     payload.Fixed(peerFileSize),
				Streams:  1,
				Seed:     1,
				Verify:   bench.verify,
				PIDs:     []int{pid},
				Timeout:  time.Minute,
			}
			b.SetBytes(peerFileSize)
			run := &record.Run{}
			err := loadtest.Measure(b.Context(), plan, b.N, run, nil)
			if err == nil {
				err = report.NewRun(run).Err()
			}
			if err != nil {
				b.Fatal(err)
			}
			s := report.NewRun(run).Summary()
			b.ReportMetric(s.MBPerSecond.Median, "median-MB/s")
			b.ReportMetric(s.TesterCPUPerGB.Median, "tester-s/GB")
			b.ReportMetric(s.ServerCPUPerGB.Median, "server-s/GB")
		})
	}
}

// BenchmarkWriteSize is why the payload's blocks have the size they have.
func BenchmarkWriteSize(b *testing.B) {
	data := make([]byte, 4<<20)
	for _, size := range []int{16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20} {
		b.Run(humanize.IBytes(uint64(size)), func(b *testing.B) {
			address, _ := startPeer(b)
			c, err := net.Dial("tcp", address)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			b.SetBytes(peerFileSize)
			used := loadtest.TesterCPU()
			for b.Loop() {
				_, err := fmt.Fprintf(c, "PUT / HTTP/1.1\r\nHost: peer\r\nContent-Length: %d\r\n\r\n", peerFileSize)
				for sent := 0; sent < peerFileSize && err == nil; sent += size {
					_, err = c.Write(data[:size])
				}
				if err == nil {
					_, err = c.Read(make([]byte, 1<<10))
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			reportCost(b, used)
		})
	}
}

// BenchmarkReceive is why the buffer of verified downloads has its size.
func BenchmarkReceive(b *testing.B) {
	for _, size := range []int{16 << 10, 64 << 10, 256 << 10, 1 << 20} {
		b.Run(humanize.IBytes(uint64(size)), func(b *testing.B) {
			address, _ := startPeer(b)
			c, err := net.Dial("tcp", address)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			file := payload.New(1, 0).File(0, peerFileSize)
			buffer := make([]byte, size)
			b.SetBytes(peerFileSize)
			used := loadtest.TesterCPU()
			for b.Loop() {
				if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: peer\r\n\r\n")); err != nil {
					b.Fatal(err)
				}
				// The head of the answer counts as content here: a byte more or
				// less does not matter to the cost.
				head := int64(len(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", peerFileSize)))
				for got := -head; got < peerFileSize; {
					n, err := c.Read(buffer)
					if err != nil {
						b.Fatal(err)
					}
					if got >= 0 && file.Mismatch(got, buffer[:n]) >= 0 {
						b.Fatalf("mismatch after %d bytes", got)
					}
					got += int64(n)
				}
			}
			reportCost(b, used)
		})
	}
}

func reportCost(b *testing.B, used float64) {
	bytes := float64(b.N) * peerFileSize
	b.ReportMetric((loadtest.TesterCPU()-used)/bytes*1e9, "tester-s/GB")
}
