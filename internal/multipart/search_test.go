package multipart_test

import (
	"bytes"
	"strings"
	"testing"

	"sluice/internal/multipart"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	for _, boundary := range boundaries {
		delimiter := "\r\n--" + boundary
		for at := range 3 * len(delimiter) {
			b := []byte(strings.Repeat(delimiter[:len(delimiter)-1], 4)[:at] + delimiter + delimiter)
			if got, want := multipart.Index(boundary, b), bytes.Index(b, []byte(delimiter)); got != want {
				t.Errorf("boundary %q: got %d, want %d", boundary, got, want)
			}
			if got := multipart.Index(boundary, b[:at+len(delimiter)-1]); got >= 0 {
				t.Errorf("boundary %q, cut: got %d, want none", boundary, got)
			}
		}
	}
}
