package doctor

import (
	"bytes"
	"context"
	"net/url"
)

// private finds out whether the admin listener can be reached by everybody.
func private(ctx context.Context, v *visitor, f *findings) {
	for _, base := range []*url.URL{v.URL, {Scheme: v.URL.Scheme, Host: v.URL.Host, Path: "/"}} {
		for path, word := range map[string]string{"metrics": "# HELP sluice_", "debug/pprof/": "goroutine"} {
			a, err := v.get(ctx, base.String()+path)
			if err == nil && a.success() && bytes.Contains(a.text, []byte(word)) {
				f.problem(remedyPrivate, "everybody can see %s%s: file names, clients and the inside of the process", base, path)
				return
			}
		}
	}
	f.ok("can't be reached by the URL")
}
