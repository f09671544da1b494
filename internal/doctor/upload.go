package doctor

import (
	"context"
	"net/http"
)

// upload stores a file, reads it and removes it: nothing else needs to be looked
// at if that doesn't work.
func upload(ctx context.Context, v *visitor, f *findings) {
	const content = "sluice doctor"
	url := v.file(".txt")
	a, err := v.put(ctx, url, content)
	if !f.stored("PUT", a, err) {
		v.lost = true
		return
	}
	got, err := v.get(ctx, url)
	if err != nil || string(got.text) != content {
		f.problem(nil, "what was stored doesn't come back: %v, %v, %q", got, err, got.text)
		return
	}
	for _, method := range []string{http.MethodHead, http.MethodDelete} {
		a, err := v.quick(ctx, request{method: method, url: url})
		if err != nil || !a.success() {
			f.problem(remedyMethods, "%s of a file that is there: %v, %v", method, a, err)
			return
		}
	}
	f.ok("a file can be stored, read and removed")
}

// stored tells why an upload failed, if it did.
func (f *findings) stored(what string, a answer, err error) bool {
	switch {
	case err != nil:
		f.problem(nil, "%s: %v", what, err)
	case a.success():
		return true
	case a.refused(http.StatusForbidden), a.refused(http.StatusUnauthorized):
		f.problem(setting("sluice doctor", "--header with what lets you upload"), "%s: %v", what, a)
	case a.problem != "":
		f.problem(setting("sluice", "its log tells why, under the request id"), "%s: %v", what, a)
	case a.status == http.StatusRequestEntityTooLarge:
		f.problem(remedyBodyCap, "%s: %v", what, a)
	default:
		f.problem(remedyMethods, "%s: %v", what, a)
	}
	return false
}
