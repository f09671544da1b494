package multipart_test

import (
	"io"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"sluice/internal/multipart"
)

// mostHeld is the longest delimiter, less the last byte that decides it.
const mostHeld = 4 + 70 + multipart.MaxPadding + 1

// recorder notes the memory that a body is asked to fill.
type recorder struct {
	body    io.Reader
	block   []byte // of the caller
	inBlock int64  // bytes read to the end of block, into all of it but what may be held back
	largest int    // slice asked to fill
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	r.largest = max(r.largest, len(p))
	if end(p) == end(r.block) && len(p) >= len(r.block)-mostHeld {
		r.inBlock += int64(n)
	}
	return n, err
}

func end(p []byte) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(p))) + uintptr(len(p))
}

// pattern is endless content with a look-alike now and then.
type pattern struct{ block string }

func newPattern() pattern {
	return pattern{strings.Repeat("0123456789\r\n--Bx\r\n\r\n--"+strings.Repeat("x", 1000), 1000)}
}

func (p pattern) Read(b []byte) (int, error) {
	for n := 0; n < len(b); {
		n += copy(b[n:], p.block)
	}
	return len(b), nil
}

// TestBulkIsReadStraight fails where another buffer comes between the body
// and the caller's block, or where less is asked for than the block takes.
func TestBulkIsReadStraight(t *testing.T) {
	t.Parallel()
	const size = 64 << 20
	for _, blockSize := range []int{64 << 10, 1 << 20} {
		t.Run(strconv.Itoa(blockSize), func(t *testing.T) {
			t.Parallel()
			block := make([]byte, blockSize)
			body := &recorder{block: block, body: io.MultiReader(
				strings.NewReader("--B\r\n"+head+"\r\n"),
				io.LimitReader(newPattern(), size),
				strings.NewReader("\r\n--B--\r\n"))}
			r, err := multipart.NewReader(body, boundary, multipart.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			part, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			var got, reads int64
			for err == nil {
				var n int
				n, err = part.Read(block)
				got += int64(n)
				reads++
			}
			if err != io.EOF || got != size {
				t.Fatalf("got %d bytes, %v, want %d", got, err, size)
			}
			if body.inBlock < size*95/100 {
				t.Errorf("%d of %d bytes were read into the whole block", body.inBlock, size)
			}
			if most := size/int64(blockSize)*11/10 + 20; reads > most {
				t.Errorf("took %d reads, want at most %d", reads, most)
			}
			if r.Retained() > 16<<10 {
				t.Errorf("keeps %d bytes", r.Retained())
			}
		})
	}
}

// TestSmallPartsStaySmall reads many small parts into a large block.
func TestSmallPartsStaySmall(t *testing.T) {
	t.Parallel()
	want := make([]entry, 10_000)
	for i := range want {
		want[i] = entry{"f", "x", strconv.Itoa(i)}
	}
	block := make([]byte, 4<<20)
	body := &recorder{body: strings.NewReader(encode(boundary, want...)), block: block}
	r, err := multipart.NewReader(body, boundary, multipart.Limits{Parts: len(want)})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range want {
		part, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readAll(part, block); err != nil || got != e.content {
			t.Fatalf("got %q, %v, want %q", got, err, e.content)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Fatalf("got %v, want EOF", err)
	}
	if body.largest > multipart.FirstRead || r.Retained() > 2*multipart.FirstRead {
		t.Errorf("asked for %d bytes at once, keeps %d", body.largest, r.Retained())
	}
}

// TestReadAheadIsBoundedByThePart reads parts of a size in which one read may
// hold several others.
func TestReadAheadIsBoundedByThePart(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("content\r\n", 30_000)
	want := []entry{{"a", "x", content}, {"b", "x", content}, {"c", "x", content}, {"d", "x", content}, {"e", "", "v"}}
	body := &recorder{body: strings.NewReader(encode(boundary, want...))}
	got, err := decode(body, boundary, 4<<20, multipart.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, want)
	if body.largest > len(content) {
		t.Errorf("asked for %d bytes at once in parts of %d", body.largest, len(content))
	}
}
