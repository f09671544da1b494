package doctor

import (
	"context"
	"strings"
)

// coding finds out whether the proxy compresses downloads: they lose their
// length, their ranges and their digest, and cost processor time.
func coding(ctx context.Context, v *visitor, f *findings) {
	for _, ending := range []string{".txt", ".html", ".json", ".css", ".svg"} {
		url := v.file("-coding" + ending)
		if a, err := v.put(ctx, url, strings.Repeat("compress me\n", 2000)); !f.stored("PUT", a, err) {
			return
		}
		a, err := v.get(ctx, url, "Accept-Encoding: gzip, br, zstd, deflate")
		switch {
		case err != nil || !a.success():
			f.problem(nil, "GET: %v", because(a, err))
			return
		case a.header.Get("Content-Encoding") != "":
			f.problem(remedyCoding, "downloads of %s are compressed on the way (%s)", ending, a.header.Get("Content-Encoding"))
			return
		case strings.HasPrefix(a.header.Get("ETag"), "W/"):
			f.problem(remedyCoding, "ETags of downloads are weakened on the way: parts can't be resumed")
			return
		}
	}
	f.ok("downloads come as they are stored")
}
