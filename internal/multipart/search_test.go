package multipart_test

import (
	"bytes"
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
