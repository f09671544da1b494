package multipart_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"sluice/internal/multipart"
)

// readSizes are those of callers: below, around and above what is scanned in
// the caller's memory, and around what is held back.
var readSizes = []int{1, 2, 5, 204, 4095, 4096, 4097, 64 << 10}

// boundaries are those of clients in the field, and the shortest and longest.
var boundaries = []string{
	"B",
	"xYzZY",
	"boundary",
	"----WebKitFormBoundary7MA4YWxkTrZu0gW",
	"------------------------d74496d66958873e7fX2AbCdEf1234",
	"--",
	"a b'()+_,-./:=?z",
	strings.Repeat("-", 70),
	strings.Repeat("ab", 35),
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdefABCDEF",
}

// splits returns the ways in which a body may come.
func splits(body string) map[string]io.Reader {
	open := func() io.Reader { return strings.NewReader(body) }
	return map[string]io.Reader{
		"whole":           open(),
		"one byte":        iotest.OneByteReader(open()),
		"halves":          iotest.HalfReader(open()),
		"error with data": iotest.DataErrReader(open()),
		"random, short":   newSplitter(open(), uint64(len(body)), 7),
		"random":          newSplitter(open(), uint64(len(body)), 5000),
	}
}

// TestBufferEdges sends files whose sizes lie around those of buffers, full of
// what may begin a delimiter.
func TestBufferEdges(t *testing.T) {
	t.Parallel()
	const boundary = "Bq"
	for _, edge := range []int{4 << 10, 32 << 10, 64 << 10, 1 << 20} {
		for delta := -3; delta <= 3; delta++ {
			t.Run(fmt.Sprintf("%d%+d", edge, delta), func(t *testing.T) {
				t.Parallel()
				large := entry{"f", "x", lookAlikes(edge+delta, boundary)}
				want := []entry{large, {"v", "", "value"}, large}
				form := encode(boundary, want...)
				for _, size := range []int{4096, edge + 1, 4 << 20} {
					for name, body := range splits(form) {
						if edge > 4<<10 && name != "whole" && name != "random" {
							continue // takes too long
						}
						got, err := decode(body, boundary, size, multipart.Limits{})
						if err != nil {
							t.Fatalf("%s, reads of %d: %v", name, size, err)
						}
						equal(t, got, want)
					}
				}
			})
		}
	}
}

// lookAlikes makes content out of what delimiters are made of. The q of the
// boundary comes in look-alikes alone.
func lookAlikes(size int, boundary string) string {
	r := rand.New(rand.NewPCG(uint64(size), 1))
	pieces := []string{"\r", "\n", "-", "\r\n", "\r\n-", "\r\n--", "\r\n--B", "B", " ",
		"\r\n--" + boundary + "x", "\r\n--" + boundary + " x", "\r\n--" + boundary + "-x", "--" + boundary + "--"}
	var b strings.Builder
	b.WriteString("x") // a first line may not begin with the boundary
	for b.Len() < size {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	// What came together as a delimiter is none of the file's.
	content := strings.ReplaceAll(b.String(), "\r\n--"+boundary+"--", "\r\n++"+boundary+"--")[:size]
	if strings.HasSuffix(strings.TrimRight(content, " "), "\r\n--"+boundary) {
		content = content[:size-1] + "x"
	}
	return content
}

func TestEveryBoundary(t *testing.T) {
	t.Parallel()
	for _, boundary := range boundaries {
		t.Run(boundary, func(t *testing.T) {
			t.Parallel()
			cut := boundary[:len(boundary)-1]
			want := []entry{
				{"near", "x", strings.Repeat("\r\n--"+cut+"#", 100)},
				{"prefixes", "x", "\r\n--" + cut},
				{"look-alikes", "x", strings.Repeat("\r\n--"+boundary+"#", 100)},
				{"empty", "", ""},
				{"boundary", "", boundary},
			}
			for _, size := range readSizes {
				for name, body := range splits(encode(boundary, want...)) {
					got, err := decode(body, boundary, size, multipart.Limits{})
					if err != nil {
						t.Fatalf("%s, reads of %d: %v", name, size, err)
					}
					equal(t, got, want)
				}
			}
		})
	}
}
