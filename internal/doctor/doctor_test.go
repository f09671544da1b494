package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReport(t *testing.T) {
	t.Parallel()
	f := &findings{check: "a thing"}
	f.ok("works %d times", 2)
	f.warn(nil, "slow")
	f.problem(proxies("n", "c", "h", "t"), "broken")
	report := Report{f.list}
	if !errors.Is(report.Err(), ErrProblems) || (Report{f.list[:2]}).Err() != nil {
		t.Errorf("errors are %v and %v", report.Err(), (Report{f.list[:2]}).Err())
	}
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	want := `ok       a thing: works 2 times
warning  a thing: slow
problem  a thing: broken
           nginx: n
           Caddy: c
           HAProxy: h
           Traefik: t

1 ok, 1 warnings, 1 problems
`
	if text.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", &text, want)
	}
	var document strings.Builder
	if err := report.WriteJSON(&document); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal([]byte(document.String()), &back); err != nil || back.Findings[2].Remedies[0] != (Remedy{"nginx", "n"}) {
		t.Errorf("read back: %+v, %v", back, err)
	}
}

// examine visits a handler that stands for proxy and server.
func examine(t *testing.T, check func(context.Context, *visitor, *findings), handler http.HandlerFunc) (*visitor, []Finding) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL + "/up")
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVisitor(Visit{URL: at, Size: 1000, Wait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.http1.CloseIdleConnections)
	f := new(findings)
	check(t.Context(), v, f)
	return v, f.list
}

// refuse answers as the server refuses.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"title":"No","detail":"Not so."}`)
}

func TestReach(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		words  string // of the problem; empty if there is none
		remedy string
	}{
		{"sluice", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Tus-Version", "1.0.0") }, "", ""},
		{"another server", func(http.ResponseWriter, *http.Request) {}, "without Tus-Version", "nginx"},
		{"another path", http.NotFound, "status 404 (the proxy's own)", "sluice"},
		{"unknown host", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 421) }, "doesn't go by the name", "sluice"},
		{"closed door", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 401) }, "doesn't let us in: status 401 (Not so.)", "sluice doctor"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v, found := examine(t, reach, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodOptions || r.URL.Path != "/up/tus/" {
					t.Errorf("%s %s", r.Method, r.URL)
				}
				test.answer(w, r)
			})
			bad := test.words != ""
			if v.lost && !bad || len(found) != 1 || (found[0].Level == Problem) != bad || !strings.Contains(found[0].Text, test.words) {
				t.Fatalf("lost %t, %+v", v.lost, found)
			}
			if bad && !slices.ContainsFunc(found[0].Remedies, func(r Remedy) bool { return r.Of == test.remedy }) {
				t.Errorf("remedies are %+v", found[0].Remedies)
			}
		})
	}
}

// The border that heads find lies between two of the lengths that are tried.
func TestAnnouncedLengths(t *testing.T) {
	t.Parallel()
	for border, words := range map[int64]string{
		1e6: "bodies of 2.0 MB are refused", 50e6: "bodies of 200 MB are refused, of 20 MB not", 1e15: "bodies of 1.0 TB may be announced",
	} {
		_, found := examine(t, announced, func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength > border {
				http.Error(w, "too large", http.StatusRequestEntityTooLarge)
				return
			}
			refuse(w, http.StatusPreconditionFailed)
		})
		if len(found) != 1 || found[0].Text != words || (found[0].Level == Problem) != (border < 1e12) {
			t.Errorf("%d: %+v", border, found)
		}
	}
	_, found := examine(t, announced, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "sorry", http.StatusPreconditionFailed) })
	if len(found) != 1 || !strings.Contains(found[0].Text, "refusals are replaced") {
		t.Errorf("%+v", found)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	for skew, level := range map[time.Duration]Level{0: OK, -20 * time.Second: Warning, time.Hour: Problem} {
		_, found := examine(t, clock, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(skew).UTC().Format(http.TimeFormat))
		})
		if len(found) != 1 || found[0].Level != level {
			t.Errorf("%s: %+v", skew, found)
		}
	}
}

// What was stored is removed, once, whatever else happened.
func TestLeave(t *testing.T) {
	t.Parallel()
	removed := make(chan string, 10)
	v, _ := examine(t, func(context.Context, *visitor, *findings) {}, func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			removed <- r.URL.Path
		}
	})
	for range 2 {
		if _, err := v.put(t.Context(), v.file("x y"), "content"); err != nil {
			t.Fatal(err)
		}
	}
	v.leave()
	if got := <-removed; got != "/up/files/"+v.mark+"x y" || len(removed) > 0 {
		t.Errorf("removed %s and %d others", got, len(removed))
	}
}

func TestScratch(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, want := range map[string]string{"not/there/yet": root, ".": root} {
		dir, err := scratch(filepath.Join(root, name))
		if err != nil || filepath.Dir(dir) != want {
			t.Errorf("%s: %s, %v", name, dir, err)
		}
	}
	own := filepath.Join(root, ".sluice")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if dir, err := scratch(root); err != nil || filepath.Dir(dir) != own {
		t.Errorf("%s, %v", dir, err)
	}
}
