package e2e_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkPage uploads a file on the page, by one bare request of the same
// browser, and as much with the load tester by tus, in turn. It tells the rates,
// how they compare, and how much the browser's memory has grown while the page
// sent. With PAGE_FULL it is 3 GB.
func BenchmarkPage(b *testing.B) {
	size := int64(500 * mib)
	if full() {
		size = 3 * gib
	}
	path := called(b, "rated.bin", size)
	s := startShipped(b)
	th := openTheatre(b)
	var page, bare, load, grown []float64
	for b.Loop() {
		memory := watchMemory(th.pid)
		rate := func(rates *[]float64) func(ms string) {
			return func(ms string) {
				took, err := strconv.ParseFloat(ms, 64)
				if err != nil {
					b.Fatal(err)
				}
				*rates = append(*rates, float64(size)/took/1e3)
			}
		}
		th.play(b, "rate", s.page(), props{"paths": []string{path}, "name": "rated.bin"}, cues{
			"begin": func(string) { memory.mark() },
			"took": func(ms string) {
				grown = append(grown, memory.stop()/1e6)
				rate(&page)(ms)
			},
			"bare": rate(&bare),
		})
		for _, name := range []string{"rated.bin", "bare.bin"} {
			curl(b, "-X", "DELETE", s.fileURL(name)).want(b, 204)
		}
		load = append(load, loadRate(b, s.url("/tus/"), size))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(page), "page-MB/s")
	b.ReportMetric(median(bare), "bare-MB/s")
	b.ReportMetric(median(load), "load-MB/s")
	b.ReportMetric(median(page)/median(bare), "page/bare")
	b.ReportMetric(median(page)/median(load), "page/load")
	b.ReportMetric(slices.Max(grown), "browser-growth-MB")
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// loadRate is how fast the load tester uploads, in MB/s.
func loadRate(t testing.TB, url string, size int64) float64 {
	t.Helper()
	cmd := exec.Command(suite.shipped, "load", "tus", "--url", url, "--size", strconv.FormatInt(size, 10), "--repeat", "1", "--no-progress", "--json", "-")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("sluice load: %v\n%s", err, &complaint)
	}
	var report struct {
		Repeats []struct {
			Rate float64 `json:"mb_per_second"`
		} `json:"repeats"`
	}
	if err := json.Unmarshal(out, &report); err != nil || len(report.Repeats) != 1 || report.Repeats[0].Rate == 0 {
		t.Fatalf("the report tells no rate: %v\n%s", err, out)
	}
	return report.Repeats[0].Rate
}

// memory follows what a process and all below it hold, each page once.
type memory struct {
	root   int
	before float64
	peak   chan float64
	end    chan struct{}
}

func watchMemory(root int) *memory {
	m := &memory{root: root, peak: make(chan float64, 1), end: make(chan struct{})}
	go func() {
		peak := 0.0
		for {
			peak = max(peak, m.held())
			select {
			case <-m.end:
				m.peak <- peak
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	return m
}

// mark makes what is held now the measure of what follows.
func (m *memory) mark() { m.before = m.held() }

// stop is how far the peak has been above the mark, in bytes.
func (m *memory) stop() float64 {
	close(m.end)
	return <-m.peak - m.before
}

// held is the proportional set size of the whole tree.
func (m *memory) held() (sum float64) {
	children := make(map[int][]int)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent; the name may hold anything.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 2 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], pid)
	}
	for open := []int{m.root}; len(open) > 0; open = open[1:] {
		open = append(open, children[open[0]]...)
		sum += setSize(open[0])
	}
	return sum
}

func setSize(pid int) float64 {
	rollup, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "smaps_rollup"))
	if err != nil {
		return 0 // it has ended
	}
	for line := range strings.Lines(string(rollup)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Pss:" {
			kib, _ := strconv.ParseFloat(fields[1], 64)
			return kib * 1024
		}
	}
	return 0
}
