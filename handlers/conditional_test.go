package handlers

import (
	"net/http"
	"testing"
	"time"

	"sluice/storage"
)

func TestEvaluate(t *testing.T) {
	t.Parallel()
	modified := time.Date(2026, 5, 4, 3, 2, 1, 500, time.UTC)
	info := storage.Info{Version: "v1", ModTime: modified}
	at := func(d time.Duration) string { return modified.Add(d).Format(http.TimeFormat) }
	for _, test := range []struct {
		name string
		head map[string]string
		want verdict
	}{
		{"none", nil, proceed},
		{"If-Match same", map[string]string{"If-Match": `"v1"`}, proceed},
		{"If-Match any", map[string]string{"If-Match": `*`}, proceed},
		{"If-Match in a list", map[string]string{"If-Match": `"v0", "v1"`}, proceed},
		{"If-Match other", map[string]string{"If-Match": `"v2"`}, failed},
		{"If-Match weak never holds", map[string]string{"If-Match": `W/"v1"`}, failed},
		{"If-Match garbage", map[string]string{"If-Match": `v1`}, failed},
		{"If-Unmodified-Since later", map[string]string{"If-Unmodified-Since": at(time.Second)}, proceed},
		{"If-Unmodified-Since same second", map[string]string{"If-Unmodified-Since": at(0)}, proceed},
		{"If-Unmodified-Since earlier", map[string]string{"If-Unmodified-Since": at(-time.Second)}, failed},
		{"If-Unmodified-Since garbage", map[string]string{"If-Unmodified-Since": "yesterday"}, proceed},
		{"If-Match goes before If-Unmodified-Since", map[string]string{"If-Match": `"v1"`, "If-Unmodified-Since": at(-time.Second)}, proceed},
		{"If-None-Match same", map[string]string{"If-None-Match": `"v1"`}, notModified},
		{"If-None-Match weak holds", map[string]string{"If-None-Match": `W/"v1"`}, notModified},
		{"If-None-Match any", map[string]string{"If-None-Match": `*`}, notModified},
		{"If-None-Match list with a comma in a tag", map[string]string{"If-None-Match": `"a,b" , "v1"`}, notModified},
		{"If-None-Match other", map[string]string{"If-None-Match": `"v2"`}, proceed},
		{"If-Modified-Since same second", map[string]string{"If-Modified-Since": at(0)}, notModified},
		{"If-Modified-Since earlier", map[string]string{"If-Modified-Since": at(-time.Second)}, proceed},
		{"If-None-Match goes before If-Modified-Since", map[string]string{"If-None-Match": `"v2"`, "If-Modified-Since": at(0)}, proceed},
		{"If-Match goes first of all", map[string]string{"If-Match": `"v2"`, "If-None-Match": `"v1"`}, failed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := evaluate(func(field string) string { return test.head[field] }, info); got != test.want {
				t.Errorf("verdict %d, want %d", got, test.want)
			}
		})
	}
}

func TestRangeHolds(t *testing.T) {
	t.Parallel()
	modified := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	info := storage.Info{Version: "v1", ModTime: modified}
	for field, want := range map[string]bool{
		"": true, `"v1"`: true, `"v2"`: false, `W/"v1"`: false, "garbage": false,
		modified.Format(http.TimeFormat): false,
	} {
		if got := rangeHolds(field, info); got != want {
			t.Errorf("If-Range %q holds: %t, want %t", field, got, want)
		}
	}
}
