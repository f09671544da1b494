package handlers

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/storage"
)

// question is a request for a file.
type question struct {
	method string
	size   int64
	head   map[string]string
}

func (q question) field(name string) string { return q.head[name] }

func (q question) String() string {
	return fmt.Sprintf("%s of %d bytes with %q", q.method, q.size, q.head)
}

var (
	planModified = time.Date(2026, 5, 4, 3, 2, 1, 500_000_000, time.UTC)
	planDate     = planModified.Format(http.TimeFormat)
	planEarlier  = planModified.Add(-time.Hour).Format(http.TimeFormat)
	planLater    = planModified.Add(time.Hour).Format(http.TimeFormat)
)

func (q question) info() storage.Info {
	return storage.Info{Version: "v1", Size: q.size, ModTime: planModified}
}

// served is what net/http's ServeContent answers.
type served struct {
	plan
	contentRange string // of a 416
}

// serve asks net/http.
func (q question) serve(t *testing.T) served {
	t.Helper()
	r := httptest.NewRequest(q.method, "/", nil)
	for name, value := range q.head {
		r.Header[name] = []string{value}
	}
	w := httptest.NewRecorder()
	w.Header().Set("Etag", etag(q.info()))
	w.Header().Set("Content-Type", "text/plain")
	http.ServeContent(w, r, "", planModified, strings.NewReader(strings.Repeat("x", int(q.size))))
	s := served{plan: plan{status: w.Code}, contentRange: w.Header().Get("Content-Range")}
	if s.status == http.StatusPartialContent && q.method == http.MethodGet {
		s.ranges = partsOf(t, w)
	}
	return s
}

// partsOf reads the ranges of a 206.
func partsOf(t *testing.T, w *httptest.ResponseRecorder) []byteRange {
	t.Helper()
	kind, params, _ := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if kind != "multipart/byteranges" {
		return []byteRange{readContentRange(t, w.Header().Get("Content-Range"))}
	}
	var ranges []byteRange
	parts := multipart.NewReader(w.Body, params["boundary"])
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return ranges
		}
		if err != nil {
			t.Fatal(err)
		}
		ranges = append(ranges, readContentRange(t, part.Header.Get("Content-Range")))
	}
}

func readContentRange(t *testing.T, field string) byteRange {
	t.Helper()
	var first, last, size int64
	if _, err := fmt.Sscanf(field, "bytes %d-%d/%d", &first, &last, &size); err != nil {
		t.Fatalf("Content-Range %q: %v", field, err)
	}
	return byteRange{first, last - first + 1}
}

// difference is something in which sluice means to differ from net/http, and
// what decides it.
type difference struct {
	reason  string
	applies func(q question, theirs served) bool
	right   func(t *testing.T, q question) plan
}

const (
	hugeNumber  = "99999999999999999999"
	largeNumber = "999999999999999999"
)

// differences are all of them. The first that applies says what is right.
func differences() []difference {
	return []difference{
		{
			"RFC 9110 section 14.2: Range is defined for GET alone",
			func(q question, theirs served) bool {
				return q.method == http.MethodHead && (theirs.status == 206 || theirs.status == 416)
			},
			whole,
		},
		{
			"RFC 9110 sections 13.1.5 and 8.8.2.2: a date is strong only where no other change fits into its second, which can't be known",
			func(q question, theirs served) bool {
				return q.head["If-Range"] == planDate && (theirs.status == 206 || theirs.status == 416)
			},
			whole,
		},
		{
			"RFC 9110 section 14.1: names of range units are case-insensitive",
			func(q question, theirs served) bool {
				return theirs.isInvalid() && strings.HasPrefix(q.head["Range"], "BYTES=")
			},
			func(t *testing.T, q question) plan {
				want, _ := q.with("Range", strings.ToLower(q.head["Range"])).expect(t)
				return want
			},
		},
		{
			"RFC 9110 section 14.1.1: a position is 1*DIGIT, of any length",
			func(q question, theirs served) bool {
				return theirs.isInvalid() && strings.Contains(q.head["Range"], hugeNumber)
			},
			func(t *testing.T, q question) plan {
				want, _ := q.with("Range", strings.ReplaceAll(q.head["Range"], hugeNumber, largeNumber)).expect(t)
				return want
			},
		},
		{
			"RFC 9110 section 14.2: a Range that is malformed or in an unknown unit is ignored",
			func(q question, theirs served) bool {
				_, valid := readRanges(q.head["Range"], q.size)
				return theirs.status == 416 && !valid
			},
			whole,
		},
		{
			"RFC 9110 section 14.1.2: no range of an empty content, and no suffix of no bytes, can be satisfied",
			func(q question, theirs served) bool {
				_, err := parseRanges(q.head["Range"], q.size)
				holds := q.head["If-Range"] == "" || q.head["If-Range"] == `"v1"`
				empty := q.method == http.MethodGet && q.size == 0 && theirs.status == 200 && holds && !errors.Is(err, errNoRange)
				return empty || slices.ContainsFunc(theirs.ranges, func(r byteRange) bool { return r.n == 0 })
			},
			func(*testing.T, question) plan { return plan{status: http.StatusRequestedRangeNotSatisfiable} },
		},
		{
			"RFC 9110 section 15.3.7.2: several ranges that overlap, go backwards, are many or cost more than the whole are answered by the whole",
			func(q question, theirs served) bool {
				return len(theirs.ranges) > 1 && !severable(theirs.ranges, q.size)
			},
			whole,
		},
	}
}

// isInvalid reports whether net/http doesn't understand the Range field.
func (s served) isInvalid() bool { return s.status == 416 && s.contentRange == "" }

// with is the question with another value of a field.
func (q question) with(field, value string) question {
	q.head = maps.Clone(q.head)
	q.head[field] = value
	return q
}

// expect is what is right, by net/http or by the difference that applies.
func (q question) expect(t *testing.T) (plan, string) {
	t.Helper()
	theirs := q.serve(t)
	for _, d := range differences() {
		if d.applies(q, theirs) {
			return d.right(t, q), d.reason
		}
	}
	return theirs.plan, "net/http"
}

func whole(*testing.T, question) plan { return plan{status: http.StatusOK} }

// questions are all combinations.
func questions() []question {
	lists := func(name string, values ...string) (fields []map[string]string) {
		for _, value := range values {
			fields = append(fields, map[string]string{name: value})
		}
		return fields
	}
	tags := []string{`"v1"`, `"v2"`, `W/"v1"`, `*`, `"a", "v1"`, `"a,b" ,, "v2"`, `v1`, `"v1`, `"v 1"`, `,`}
	dates := []string{planDate, planEarlier, planLater, "yesterday", "Monday, 04-May-26 03:02:01 GMT", "Mon May  4 03:02:01 2026"}
	conditions := []map[string]string{{}}
	conditions = append(conditions, lists("If-Match", tags...)...)
	conditions = append(conditions, lists("If-None-Match", tags...)...)
	conditions = append(conditions, lists("If-Modified-Since", dates...)...)
	conditions = append(conditions, lists("If-Unmodified-Since", dates...)...)
	conditions = append(conditions, lists("If-Range", `"v1"`, `"v2"`, `W/"v1"`, planDate, planEarlier, planLater, "garbage")...)
	for _, tag := range tags[:4] {
		for _, date := range dates[:4] {
			conditions = append(conditions,
				map[string]string{"If-None-Match": tag, "If-Modified-Since": date},
				map[string]string{"If-Match": tag, "If-Unmodified-Since": date},
				map[string]string{"If-Match": `"v1"`, "If-None-Match": tag, "If-Unmodified-Since": date},
				map[string]string{"If-Unmodified-Since": date, "If-None-Match": tag, "If-Range": `"v1"`},
			)
		}
	}
	ranges := []string{
		"", "bytes=0-4", "bytes=5-", "bytes=5-999", "bytes=9-9", "bytes=-3", "bytes=-999", "bytes=10-", "bytes=-0", "bytes=30000-", "bytes=5-2",
		"bytes=abc", "bytes=", "bytes=--5", "bytes 0-4", "items=0-4", "BYTES=0-4", "bytes=0-" + hugeNumber, "bytes=" + hugeNumber + "-",
		"bytes=0-1,8-9", "bytes=0-1,100-200,-5", "bytes=0-1,30000-", "bytes=0-5,5-9", "bytes=8-9,0-1", "bytes=0-,0-,0-", "bytes=,0-1,,3-4",
		"bytes=" + strings.Repeat("0-0,", 40) + "1-1",
	}
	var all []question
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for _, size := range []int64{0, 10, 5000} {
			for _, condition := range conditions {
				for _, field := range ranges {
					q := question{method, size, condition}
					if field != "" {
						q = q.with("Range", field)
					}
					all = append(all, q)
				}
			}
		}
	}
	return all
}

// net/http is right about the same request and content, but for the
// differences.
func TestPlanLikeServeContent(t *testing.T) {
	t.Parallel()
	met, wrong := make(map[string]int), 0
	for _, q := range questions() {
		got := planOf(q.method, q.field, q.info())
		want, reason := q.expect(t)
		met[reason]++
		if !reflect.DeepEqual(got, want) && wrong < 20 {
			wrong++
			t.Errorf("%s: %v, want %v by %s", q, got, want, reason)
		}
	}
	for _, d := range differences() {
		if met[d.reason] == 0 {
			t.Errorf("no request meets the difference %q", d.reason)
		}
	}
	t.Logf("%v", met)
}

// FuzzPreconditions compares all conditional fields with net/http.
func FuzzPreconditions(f *testing.F) {
	f.Fuzz(func(t *testing.T, match, noneMatch, modifiedSince, unmodifiedSince string) {
		head := make(map[string]string)
		for name, value := range map[string]string{
			"If-Match": match, "If-None-Match": noneMatch, "If-Modified-Since": modifiedSince, "If-Unmodified-Since": unmodifiedSince,
		} {
			if value != strings.Trim(value, " \t") || strings.ContainsFunc(value, isNoFieldContent) {
				return // no field can hold it
			}
			if value != "" {
				head[name] = value
			}
		}
		q := question{http.MethodGet, 10, head}
		if got, want := planOf(q.method, q.field, q.info()), q.serve(t).plan; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", q, got, want)
		}
	})
}

// isNoFieldContent reports what RFC 9110 section 5.5 keeps out of fields.
func isNoFieldContent(r rune) bool { return r < ' ' && r != '\t' || r == '\x7f' }
