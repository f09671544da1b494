package multipart_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/internal/multipart"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, boundary := range boundaries {
		delimiter := "\r\n--" + boundary
		for at := range 3 * len(delimiter) {
			b := []byte(strings.Repeat(delimiter[:len(delimiter)-1], 4)[:at] + delimiter + delimiter)
			if got, want := multipart.Find(boundary, b), bytes.Index(b, []byte(delimiter)); got != want {
				t.Errorf("boundary %q: got %d, want %d", boundary, got, want)
			}
			if got := multipart.Find(boundary, b[:at+len(delimiter)-1]); got >= 0 {
				t.Errorf("boundary %q, cut: got %d, want none", boundary, got)
			}
		}
	}
}

// TestFindBetweenLookAlikes puts a delimiter between lines that are none, at
// every distance.
func TestFindBetweenLookAlikes(t *testing.T) {
	t.Parallel()
	for _, boundary := range boundaries {
		delimiter := "\r\n--" + boundary
		for _, behind := range []string{"#", "\r", "\r\r", "-", "-#", "\n", " #", " --", " \r#", "\t  #", strings.Repeat(" \t", 9) + "#"} {
			around := []byte(strings.Repeat(delimiter+behind, 4))
			for at := range around {
				b := slices.Concat(around[:at], []byte("#"+delimiter+" \r\n"), around)
				if got, want := multipart.Find(boundary, b), at+1; got != want {
					t.Fatalf("boundary %q between lines that end in %q: got %d, want %d", boundary, behind, got, want)
				}
			}
		}
	}
}

// FuzzFind holds the search against a regular expression. The fuzzer writes
// the boundary as $.
func FuzzFind(f *testing.F) {
	f.Add("\r\n--$\r\n", uint8(0))
	f.Add("\r\n--$x\r\n--$ \t\r\n--$--", uint8(3))
	f.Add("\r\n--$"+strings.Repeat(" ", multipart.MaxPadding+1), uint8(1))
	f.Add("\r\n--\r\n--$ \r", uint8(5))
	f.Add("\r\r\n--$-", uint8(7))
	f.Fuzz(func(t *testing.T, content string, which uint8) {
		boundary := boundaries[int(which)%len(boundaries)]
		content = strings.ReplaceAll(content, "$", boundary)
		behind := fmt.Sprintf(`(--|[ \t]{0,%d}(\r\n|\r?$)|-$|[ \t]{%d})`, multipart.MaxPadding, multipart.MaxPadding+1)
		want := -1
		if at := regexp.MustCompile("\r\n--" + regexp.QuoteMeta(boundary) + behind).FindStringIndex(content); at != nil {
			want = at[0]
		}
		if got := multipart.Find(boundary, []byte(content)); got != want {
			t.Errorf("boundary %q in %q: got %d, want %d", boundary, content, got, want)
		}
	})
}
