package doctor

import (
	"context"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
)

// declared are the lengths that are tried, in bytes.
var declared = []int64{2e6, 20e6, 200e6, 2e9, 20e9, 1e12}

// bodySize finds out which lengths the proxy lets pass, first by what it says of
// heads, then by what it does to a body: some count bytes only as they pass.
func bodySize(ctx context.Context, v *visitor, f *findings) {
	announced(ctx, v, f)
	if len(f.list) > 0 && f.list[0].Level == Problem {
		v.capped = true
		return
	}
	large := humanize.Bytes(uint64(v.Size))
	a, err := v.putLarge(ctx)
	switch {
	case err == nil && a.success():
		f.ok("a body of %s passes", large)
		return
	case a.problem != "":
		f.problem(setting("sluice", "--max-upload-size, --quota, --min-free"), "a body of %s: %v", large, a)
	default:
		f.problem(remedyBodyCap, "a body of %s doesn't pass, though small ones do: %v", large, because(a, err))
	}
	v.capped = true
}

// putLarge stores a file of the visitor's size.
func (v *visitor) putLarge(ctx context.Context) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, largePatience)
	defer cancel()
	return v.do(ctx, v.http1, request{method: http.MethodPut, url: v.file(largeName), body: io.LimitReader(zeros{}, v.Size), length: v.Size})
}

const (
	// drop and dropEvery are the bytes of a body that is to come slowly.
	drop      = 1000
	dropEvery = 100 * time.Millisecond
	// largeName is that of the file of the visitor's size.
	largeName     = "-large"
	largePatience = 5 * time.Minute
)

// announced tries lengths by heads alone: sluice refuses these requests for a
// condition, the proxy for their length.
func announced(ctx context.Context, v *visitor, f *findings) {
	lengths := slices.Clone(declared)
	slices.Reverse(lengths)
	for _, length := range lengths {
		a, err := v.refusal(ctx, v.http1, length)
		switch {
		case a.refused(http.StatusPreconditionFailed) && length == lengths[0]:
			f.ok("bodies of %s may be announced", humanize.Bytes(uint64(length)))
			return
		case a.refused(http.StatusPreconditionFailed):
			f.problem(remedyBodyCap, "bodies of %s are refused, of %s not", humanize.Bytes(uint64(lengths[slices.Index(lengths, length)-1])), humanize.Bytes(uint64(length)))
			return
		case err == nil && a.status == http.StatusPreconditionFailed:
			f.problem(remedyErrorPages, "the server's refusals are replaced: %v is %s", a, a.header.Get("Content-Type"))
			return
		case err != nil && length == lengths[0]:
			// It may wait for the body, which is another check's.
			f.ok("can't be found out ahead of the body: %v", err)
			return
		}
	}
	f.problem(remedyBodyCap, "bodies of %s are refused", humanize.Bytes(uint64(lengths[len(lengths)-1])))
}

// refusal sends the head of a PUT that the server refuses by its head alone, and
// then a body so slowly that it won't come to its end. It does go on, for some
// proxies pass on an answer only between two reads.
func (v *visitor) refusal(ctx context.Context, client *http.Client, length int64, fields ...string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, earlyPatience)
	defer cancel()
	body := &dripping{ctx: ctx, piece: drop, every: dropEvery}
	return v.do(ctx, client, request{
		method: http.MethodPut, url: v.file("-refused"), body: body, length: length,
		fields: append(fields, `If-Match: "sluice-doctor"`),
	})
}
