package doctor

import (
	"context"
	"net/http"
	"time"
)

// Clocks that differ by more than this are worth a word, or a problem. Date has
// whole seconds.
const (
	clockWarning = 5 * time.Second
	clockProblem = time.Minute
)

// clock compares this machine's clock with the one behind the URL: expiry of
// uploads, signatures and certificates go by it.
func clock(ctx context.Context, v *visitor, f *findings) {
	asked := time.Now()
	a, err := v.get(ctx, v.URL.String()+"files/")
	if err != nil {
		f.problem(nil, "no answer: %v", err)
		return
	}
	there, err := http.ParseTime(a.header.Get("Date"))
	if err != nil {
		f.warn(remedyFields, "the answer has no Date")
		return
	}
	here := asked.Add(time.Since(asked) / 2)
	synchronise := setting("system", "synchronise both clocks (chrony, systemd-timesyncd)")
	switch skew := there.Sub(here).Round(time.Second); {
	case skew.Abs() > clockProblem:
		f.problem(synchronise, "the clock there is %s away from the one here", skew)
	case skew.Abs() > clockWarning:
		f.warn(synchronise, "the clock there is %s away from the one here", skew)
	default:
		f.ok("the clocks here and there agree within %s", max(skew.Abs(), time.Second))
	}
}
