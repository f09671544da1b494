//go:build !race

package multipart_test

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"sluice/internal/multipart"
)

func TestReadDoesNotAllocate(t *testing.T) {
	for _, size := range []int{1, 1000, 4096, 64 << 10, 1 << 20} {
		body := io.MultiReader(strings.NewReader("--B\r\n"+head+"\r\n"), newPattern())
		r, err := multipart.NewReader(body, boundary, multipart.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		part, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		block := make([]byte, size)
		allocs := testing.AllocsPerRun(100, func() {
			if n, err := part.Read(block); n == 0 || err != nil {
				t.Fatalf("read: %d, %v", n, err)
			}
		})
		if allocs != 0 {
			t.Errorf("reads of %d: %v allocations each", size, allocs)
		}
	}
}

// TestPartsAllocateLittle would see a block's worth of memory for each part.
func TestPartsAllocateLittle(t *testing.T) {
	const parts = 10_000
	form := encode(boundary, make([]entry, parts)...)
	block := make([]byte, 4<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := multipart.NewReader(strings.NewReader(form), boundary, multipart.Limits{Parts: parts})
	if err != nil {
		t.Fatal(err)
	}
	drain(t, r, block)
	runtime.ReadMemStats(&after)
	if perPart := (after.TotalAlloc - before.TotalAlloc) / parts; perPart > 2<<10 {
		t.Errorf("%d bytes allocated for each part", perPart)
	}
}
