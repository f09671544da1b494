package doctor

import (
	"context"
	"net/http"
)

// expectation finds out what becomes of "Expect: 100-continue" (RFC 9110 section
// 10.1.1): who waits for an answer first has to get one.
func expectation(ctx context.Context, v *visitor, f *findings) {
	const field = "Expect: 100-continue"
	a, err := v.put(ctx, v.file("-expected"), "content", field)
	switch {
	case err == nil && a.status == http.StatusExpectationFailed:
		f.problem(remedyExpect, "the proxy refuses the field: %v", a)
		return
	case err != nil || !a.success():
		f.problem(remedyExpect, "an upload that waits to be asked for its body: %v", because(a, err))
		return
	case v.buffered:
		f.ok("the proxy asks for the body by itself")
		return
	}
	a, err = v.refusal(ctx, v.http1, 1e6, field)
	switch {
	case err != nil || a.status != http.StatusPreconditionFailed:
		f.problem(remedyExpect, "a request to be refused with 412 before its body: %v", because(a, err))
	case a.asked:
		f.ok("the proxy asks for the body by itself, so refusals come a moment later")
	default:
		f.ok("answered by the server: refusals come before the body")
	}
}
