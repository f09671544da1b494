package doctor

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// ranges asks for parts of a file: downloads are resumed by them.
func ranges(ctx context.Context, v *visitor, f *findings) {
	url := v.file("-ranges.txt")
	content := strings.Repeat("0123456789", 1000)
	a, err := v.put(ctx, url, content)
	if !f.stored("PUT", a, err) {
		return
	}
	etag := a.header.Get("ETag")
	for _, test := range []struct {
		name        string
		fields      []string
		first, last int
	}{
		{"a part", []string{"Range: bytes=1001-2002"}, 1001, 2002},
		{"the end", []string{"Range: bytes=-5"}, len(content) - 5, len(content) - 1},
		{"the rest of the same version", []string{"Range: bytes=9000-", "If-Range: " + etag}, 9000, len(content) - 1},
	} {
		if etag == "" && len(test.fields) > 1 {
			continue // a lost ETag is another check's
		}
		a, err := v.get(ctx, url, test.fields...)
		want := fmt.Sprintf("bytes %d-%d/%d", test.first, test.last, len(content))
		switch {
		case err != nil || a.status != http.StatusPartialContent:
			f.problem(remedyRanges, "%s of a file: %v, want 206", test.name, because(a, err))
		case a.header.Get("Content-Range") != want:
			f.problem(remedyRanges, "%s of a file: Content-Range is %q, want %q", test.name, a.header.Get("Content-Range"), want)
		case string(a.text) != content[test.first:test.last+1]:
			f.problem(remedyRanges, "%s of a file is of other content", test.name)
		}
	}
	beyond, err := v.get(ctx, url, "Range: bytes=999999-")
	if err != nil || beyond.status != http.StatusRequestedRangeNotSatisfiable {
		f.problem(remedyRanges, "a part behind the end: %v, want 416", because(beyond, err))
	}
	if len(f.list) == 0 {
		f.ok("parts of files come as asked for")
	}
}
