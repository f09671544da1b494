package handlers

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParseRange(t *testing.T) {
	t.Parallel()
	const max = "9223372036854775807"
	for _, test := range []struct {
		field string
		size  int64
		want  byteRange
		err   error
	}{
		{"bytes=0-4", 10, byteRange{0, 5}, nil},
		{"bytes=5-", 10, byteRange{5, 5}, nil},
		{"bytes=5-999", 10, byteRange{5, 5}, nil},
		{"bytes=9-9", 10, byteRange{9, 1}, nil},
		{"bytes=-3", 10, byteRange{7, 3}, nil},
		{"bytes=-999", 10, byteRange{0, 10}, nil},
		{"Bytes=0-0", 10, byteRange{0, 1}, nil},
		{"bytes= 0-0 ", 10, byteRange{0, 1}, nil},
		{"bytes=0-99999999999999999999", 10, byteRange{0, 10}, nil},
		{"bytes=0-" + max, 10, byteRange{0, 10}, nil},
		{"bytes=-99999999999999999999", 10, byteRange{0, 10}, nil},
		{"bytes=4294967295-4294967297", 1 << 33, byteRange{4294967295, 3}, nil},
		{"bytes=10-", 10, byteRange{}, errRange},
		{"bytes=-0", 10, byteRange{}, errRange},
		{"bytes=18446744073709551615-", 10, byteRange{}, errRange},
		{"bytes=0-", 0, byteRange{}, errRange},
		{"bytes=-5", 0, byteRange{}, errRange},
		{"bytes=5-2", 10, byteRange{}, errNoRange},
		{"bytes=abc", 10, byteRange{}, errNoRange},
		{"bytes=", 10, byteRange{}, errNoRange},
		{"bytes=-", 10, byteRange{}, errNoRange},
		{"bytes=--5", 10, byteRange{}, errNoRange},
		{"bytes=+1-2", 10, byteRange{}, errNoRange},
		{"bytes=1-2-3", 10, byteRange{}, errNoRange},
		{"bytes 0-4", 10, byteRange{}, errNoRange},
		{"items=0-4", 10, byteRange{}, errNoRange},
		{"bytes=0-1,8-9", 10, byteRange{}, errNoRange},
		{"", 10, byteRange{}, errNoRange},
	} {
		got, err := parseRange(test.field, test.size)
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("parseRange(%q, %d) = %v, %v; want %v, %v", test.field, test.size, got, err, test.want, test.err)
		}
	}
}

// FuzzParseRange compares every accepted range with what net/http serves.
func FuzzParseRange(f *testing.F) {
	for _, seed := range []string{"bytes=0-4", "bytes=-3", "bytes=5-", "bytes=,", "bytes=0-0,-1", "x=1-2"} {
		f.Add(seed, uint16(10))
	}
	f.Fuzz(func(t *testing.T, field string, size uint16) {
		got, err := parseRange(field, int64(size))
		switch {
		case err == nil:
			if got.off < 0 || got.n <= 0 || got.off+got.n > int64(size) {
				t.Fatalf("parseRange(%q, %d) = %v, outside the content", field, size, got)
			}
		case !errors.Is(err, errRange) && !errors.Is(err, errNoRange):
			t.Fatalf("parseRange(%q): unexpected error %v", field, err)
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header["Range"] = []string{field}
		w := httptest.NewRecorder()
		http.ServeContent(w, r, "f", time.Time{}, strings.NewReader(strings.Repeat("x", int(size))))
		if err == nil && w.Code == http.StatusPartialContent {
			if theirs := w.Header().Get("Content-Range"); theirs != got.contentRange(int64(size)) {
				t.Fatalf("Range %q of %d: %q, net/http says %q", field, size, got.contentRange(int64(size)), theirs)
			}
			if w.Body.Len() != int(got.n) {
				t.Fatalf("Range %q of %d: %s bytes, net/http sends %d", field, size, strconv.FormatInt(got.n, 10), w.Body.Len())
			}
		}
	})
}
