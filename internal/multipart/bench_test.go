package multipart_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"sluice/internal/multipart"
)

const (
	blockSize     = 4 << 20
	blocksPerFile = 16
	maxPadding    = multipart.MaxPadding
)

// Boundaries as a browser and as curl make them.
const (
	browserBoundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW"
	curlBoundary    = "------------------------d74496d66958873e7fX2AbCd"
)

// source hands out its block over and over, at the speed of a copy.
type source struct {
	block []byte
	pos   int
}

func (s *source) Read(p []byte) (int, error) {
	if s.pos == len(s.block) {
		s.pos = 0
	}
	n := copy(p, s.block[s.pos:])
	s.pos += n
	return n, nil
}

func contents(boundary string) map[string][]byte {
	random := make([]byte, blockSize)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)
	repeat := func(s string) []byte {
		// What is cut off at the end must not become a delimiter.
		return append([]byte(strings.Repeat(s, blockSize/len(s))), strings.Repeat("x", blockSize%len(s))...)
	}
	delimiter := "\r\n--" + boundary
	return map[string][]byte{
		"random":           random,
		"CR":               repeat("\r"),
		"CRLF":             repeat("\r\n"),
		"hyphens":          repeat("-"),
		"lines":            repeat("2026-01-31,some line of a table,1234567\r\n"),
		"near":             repeat(delimiter[:len(delimiter)-1]),
		"near, mid":        repeat(delimiter[:len(delimiter)/2] + delimiter[len(delimiter)/2+1:]),
		"look-alike":       repeat(delimiter + "x"),
		"look-alike, CR":   repeat(delimiter + "\r"),
		"look-alike, dash": repeat(delimiter + "-x"),
		"padded":           repeat(delimiter + " x"),
		"padded, more":     repeat(delimiter + "  x"),
		"padded, long":     repeat(delimiter + strings.Repeat(" \t", maxPadding/2) + "x"),
		"padded, hyphens":  repeat(delimiter + " --"),
		"wrong, right end": repeat(delimiter[:len(delimiter)/2] + "#" + delimiter[len(delimiter)/2+1:] + "\r\n"),
	}
}

// BenchmarkRead is a file of one kind of content; BenchmarkCopy is its source
// alone.
func BenchmarkRead(b *testing.B) {
	for name, boundary := range map[string]string{"browser": browserBoundary, "curl": curlBoundary, "boundary": "boundary"} {
		for kind, content := range contents(boundary) {
			b.Run(name+"/"+kind, func(b *testing.B) {
				block := make([]byte, blockSize)
				b.SetBytes(blocksPerFile * blockSize)
				for b.Loop() {
					readFile(b, boundary, content, block)
				}
			})
		}
	}
}

func BenchmarkCopy(b *testing.B) {
	block := make([]byte, blockSize)
	body := &source{block: contents(boundary)["random"]}
	b.SetBytes(blockSize)
	for b.Loop() {
		_, _ = io.ReadFull(body, block)
	}
}

func readFile(b *testing.B, boundary string, content, block []byte) {
	body := io.MultiReader(
		strings.NewReader("--"+boundary+"\r\n"+head+"\r\n"),
		io.LimitReader(&source{block: content}, blocksPerFile*blockSize),
		strings.NewReader("\r\n--"+boundary+"--\r\n"))
	r, err := multipart.NewReader(body, boundary, multipart.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	drain(b, r, block)
}

// BenchmarkParts shows that the cost of a part does not grow with their number.
func BenchmarkParts(b *testing.B) {
	for _, parts := range []int{100, 1000, 10_000} {
		b.Run(strconv.Itoa(parts), func(b *testing.B) {
			form := []byte(encode(browserBoundary, make([]entry, parts)...))
			block := make([]byte, blockSize)
			b.ReportAllocs()
			for b.Loop() {
				r, err := multipart.NewReader(bytes.NewReader(form), browserBoundary, multipart.Limits{Parts: parts})
				if err != nil {
					b.Fatal(err)
				}
				drain(b, r, block)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*parts), "ns/part")
		})
	}
}

// drain reads a form to its end by full blocks and drops its content.
func drain(tb testing.TB, r *multipart.Reader, block []byte) {
	tb.Helper()
	for {
		part, err := r.Next()
		if err == io.EOF {
			return
		} else if err != nil {
			tb.Fatal(err)
		}
		for err == nil {
			_, err = io.ReadFull(part, block)
		}
		if err != io.EOF && err != io.ErrUnexpectedEOF {
			tb.Fatal(err)
		}
	}
}
