package doctor

import (
	"context"
	"net/http"
	"strings"
)

// fields finds out which fields of requests and answers are lost on the way, by
// what the server makes of them.
func fields(ctx context.Context, v *visitor, f *findings) {
	const content = "sluice doctor looks at fields"
	url := v.file("-fields.txt")
	made, err := v.put(ctx, url, content)
	if !f.stored("PUT", made, err) {
		return
	}
	var lost []string
	for _, name := range []string{"Location", "ETag", "Repr-Digest"} {
		if made.header.Get(name) == "" {
			lost = append(lost, name)
		}
	}
	got, err := v.get(ctx, url)
	if err != nil || !got.success() {
		f.problem(nil, "GET: %v", because(got, err))
		return
	}
	for _, name := range []string{"ETag", "Accept-Ranges", "Repr-Digest", "Content-Disposition", "Content-Length", "X-Content-Type-Options"} {
		if got.header.Get(name) == "" && !(name == "Content-Length" && got.header.Get("Content-Encoding") != "") {
			lost = append(lost, name+" of GET")
		}
	}
	etag := got.header.Get("ETag")
	wrong := "sha-256=:" + strings.Repeat("A", 43) + "=:"
	for _, test := range []struct {
		name, method, url, field string
		status                   int
	}{
		{"Repr-Digest of requests", http.MethodPut, v.file("-digest"), "Repr-Digest: " + wrong, http.StatusBadRequest},
		{"Content-MD5", http.MethodPut, v.file("-md5"), "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==", http.StatusBadRequest},
		{"If-Match", http.MethodPut, v.file("-match"), `If-Match: "x"`, http.StatusPreconditionFailed},
		{"If-None-Match of PUT", http.MethodPut, url, "If-None-Match: *", http.StatusPreconditionFailed},
		{"If-None-Match", http.MethodGet, url, "If-None-Match: " + etag, http.StatusNotModified},
		{"Range", http.MethodGet, url, "Range: bytes=1-2", http.StatusPartialContent},
	} {
		r := request{method: test.method, url: test.url, fields: []string{test.field}}
		if test.method == http.MethodPut {
			r.body, r.length = strings.NewReader(content), int64(len(content))
		}
		a, err := v.quick(ctx, r)
		switch {
		case err != nil:
			f.problem(nil, "%s: %v", test.name, err)
		case a.status != test.status:
			lost = append(lost, test.name)
		case a.status >= 400 && a.problem == "":
			f.problem(remedyErrorPages, "the server's refusals are replaced: %v is %s", a, a.header.Get("Content-Type"))
		}
	}
	if quiet, err := v.get(ctx, url, "Want-Repr-Digest: crc64nvme=0"); err == nil && quiet.header.Get("Repr-Digest") != "" {
		lost = append(lost, "Want-Repr-Digest")
	}
	switch {
	case len(lost) > 0:
		f.problem(remedyFields, "fields are lost or changed: %s", strings.Join(lost, ", "))
	case len(f.list) == 0:
		f.ok("conditions, digests and descriptions pass both ways")
	}
}
