package e2e_test

import (
	"io"
	"os"
	"testing"
)

// When another program cuts a file short while it is being sent, its download
// ends short of the length that was told, and no other one notices.
func TestDownloadOfTruncatedFile(t *testing.T) {
	t.Parallel()
	const size, left = 64 * mib, mib
	path := content(t, size)
	for _, test := range []struct {
		name, send string
		before     int // downloads, after which the server may choose another path
	}{
		{"direct", "direct", 0},
		{"sendfile", "sendfile", 0},
		{"auto", "auto", 0},
		{"auto, asked for again", "auto", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "--send", test.send)
			for _, name := range []string{"cut", "whole"} {
				curl(t, "-T", path, s.fileURL(name)).want(t, 201)
			}
			for range test.before {
				if err := download(s.fileURL("cut"), path); err != nil {
					t.Fatal(err)
				}
			}
			p := dial(t, s).send(requestHead("GET", "/files/cut"))
			p.head()
			if err := os.Truncate(s.file("cut"), left); err != nil {
				t.Fatal(err)
			}
			n, _ := io.Copy(io.Discard, p.conn) // a reset ends it, too
			if n >= size {
				t.Errorf("%d bytes came of a file that was cut short", n)
			}
			if err := download(s.fileURL("whole"), path); err != nil {
				t.Error(err)
			}
			eventually(t, "the server is at rest", s.atRest)
			if a := curl(t, s.fileURL("cut")).want(t, 200); len(a.body) != left {
				t.Errorf("%d bytes of the file that is there now, want %d", len(a.body), left)
			}
		})
	}
}
