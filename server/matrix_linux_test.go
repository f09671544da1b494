package server

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sluice/internal/auth"
)

// expectations is what each route answers to each kind of caller. The first
// columns are callers by their scopes: "nothing" is known and has none, "outside"
// has all of them in another folder. "bad" is whoever shows what doesn't hold.
//
// Every route has a line, or TestAccess fails.
const expectations = `
route                             none nothing read write delete list admin all outside link bad badlink
GET    /                          302  302     302  302   302    302  302   302 302     302  302 302
HEAD   /                          302  302     302  302   302    302  302   302 302     302  302 302
GET    /files/*                   401  403     200  403   403    403  403   200 404     200  401 403
HEAD   /files/*                   401  403     200  403   403    403  403   200 404     200  401 403
GET    /assets/*                  404  404     404  404   404    404  404   404 404     404  404 404
HEAD   /assets/*                  404  404     404  404   404    404  404   404 404     404  404 404
MKCOL  /files/*                   401  403     403  201   403    403  403   201 403     403  401 403
MOVE   /files/*                   401  403     403  403   403    403  403   201 403     403  401 403
GET    /api/v1/info               200  200     200  200   200    200  200   200 200     200  401 403
HEAD   /api/v1/info               200  200     200  200   200    200  200   200 200     200  401 403
PUT    /files/*                   401  403     403  201   403    403  403   201 403     201  401 403
POST   /files/*                   401  403     403  200   403    403  403   200 403     200  401 403
DELETE /files/*                   401  403     403  403   204    403  403   204 404     204  401 403
POST   /tus/*                     401  403     403  201   403    403  403   201 403     201  401 403
PATCH  /tus/*                     401  403     403  204   403    403  403   204 404     204  401 403
HEAD   /tus/*                     401  403     403  200   403    403  403   200 404     200  401 403
DELETE /tus/*                     401  403     403  204   403    403  403   204 404     204  401 403
OPTIONS /tus/*                    200  200     200  200   200    200  200   200 200     200  200 200
GET    /tus/*                     401  403     404  403   403    403  403   200 404     200  401 403
GET    /api/v1/transfers          401  200     200  200   200    200  200   200 200     403  401 403
HEAD   /api/v1/transfers          401  200     200  200   200    200  200   200 200     403  401 403
GET    /api/v1/transfers/stream   401  200     200  200   200    200  200   200 200     403  401 403
DELETE /api/v1/transfers/:id      401  404     404  404   404    404  404   404 404     403  401 403
POST   /api/v1/session            401  201     201  201   201    201  201   201 201     403  401 403
DELETE /api/v1/session            204  204     204  204   204    204  204   204 204     204  204 204
POST   /api/v1/links              401  403     201  400   400    400  400   201 400     400  401 403
DELETE /api/v1/links/:id          401  403     403  403   403    403  204   204 204     403  401 403
`

// exceptions are what a single kind of caller gets in place of its column's.
var exceptions = map[string]int{
	"POST /api/v1/session, session":       403, // which is for whoever shows more than that
	"POST /api/v1/session, proxy trusted": 403,
	// Every link may ask what it is good for.
	"GET /api/v1/info, link of another method":  200,
	"HEAD /api/v1/info, link of another method": 200,
	// A link that is used up goes on with what was begun, but this is another's.
	"PATCH /tus/*, link used up":  404,
	"HEAD /tus/*, link used up":   404,
	"DELETE /tus/*, link used up": 404,
}

// parseExpectations reads the table: by route, and in that by column.
func parseExpectations(t *testing.T) map[string]map[string]int {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(expectations), "\n")
	columns := strings.Fields(lines[0])[1:]
	table := make(map[string]map[string]int)
	for _, line := range lines[1:] {
		fields := strings.Fields(line)
		if len(fields) != len(columns)+2 {
			t.Fatalf("%q hasn't %d columns", line, len(columns))
		}
		row := make(map[string]int)
		for i, column := range columns {
			status, err := strconv.Atoi(fields[i+2])
			if err != nil {
				t.Fatal(err)
			}
			row[column] = status
		}
		table[fields[0]+" "+fields[1]] = row
	}
	return table
}

// expected is what the caller gets from the route.
func expected(route string, row map[string]int, who caller) int {
	if status, found := exceptions[route+", "+who.name]; found {
		return status
	}
	_, path, _ := strings.Cut(route, " ")
	isNamed := strings.HasPrefix(path, "/files/") || strings.HasPrefix(path, "/tus/")
	switch {
	case who.column == "linkout" && isNamed:
		return row["outside"]
	case who.column == "linkout":
		return row["link"]
	case who.column == "linkmethod":
		return row["badlink"]
	}
	return row[who.column]
}

// otherMethod is a link to the folder that is good for all but the route.
func (w *world) otherMethod(route string) string {
	method, path, _ := strings.Cut(route, " ")
	switch {
	case method == "HEAD" && !strings.HasPrefix(path, "/tus/"):
		method = "GET"
	case strings.HasPrefix(path, "/tus/") && method != "GET":
		method = "POST"
	}
	return w.sign(func(l *auth.Link) {
		l.Methods = slices.DeleteFunc(l.Methods, func(m string) bool { return m == method })
	})
}

// Every route answers every kind of caller as the table has it, and what it
// refuses it refuses before the body: in place of the 100 that the client has
// asked for, of a body of a gigabyte of which not one byte is there.
func TestAccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	table := parseExpectations(t)
	left := maps.Clone(table)
	for _, r := range w.routes {
		for _, method := range r.methods {
			route := method + " " + r.path
			row, found := table[route]
			if !found {
				t.Errorf("%s has no line in the table of expected answers", route)
				continue
			}
			delete(left, route)
			for _, who := range w.callers {
				w.checkCell(route, row, who)
			}
		}
	}
	for route := range left {
		t.Errorf("there is no route %s", route)
	}
	t.Logf("%d kinds of callers, %d requests", len(w.callers), w.cells.Load())
}

func (w *world) checkCell(route string, row map[string]int, who caller) {
	w.t.Helper()
	method, _, _ := strings.Cut(route, " ")
	switch who.name {
	case "link empty":
		who.fields = nil
	case "session":
		who.fields = []string{w.login()} // the one before may have logged out
	case "link of another method":
		who.link = w.otherMethod(route)
	}
	want := expected(route, row, who)
	s := w.sample(route, who)
	if who.name == "link empty" {
		s.target += "?link="
	}
	got := w.send(method, s.target, who, append(s.fields, fmt.Sprintf("Content-Length: %d", len(s.body))), s.body)
	if got.status != want {
		w.t.Errorf("%s as %s: status %d, want %d", route, who.name, got.status, want)
	}
	if challenged := got.header.Get("WWW-Authenticate") != ""; challenged != (got.status == 401) {
		w.t.Errorf("%s as %s: status %d with a challenge: %t", route, who.name, got.status, challenged)
	}
	if !isEarly(route, want, who) {
		return
	}
	for _, fields := range [][]string{{"Content-Length: 1073741824"}, {"Content-Length: 1073741824", "Expect: 100-continue"}, {"Transfer-Encoding: chunked", "Expect: 100-continue"}} {
		if got := w.send(method, s.target, who, append(slices.Clone(s.fields), fields...)); got.status != want {
			w.t.Errorf("%s as %s, %q: status %d, want %d", route, who.name, fields, got.status, want)
		}
	}
}

// What a path allows everybody may ask, as browsers do before they send any
// credential, and whatever else they bring.
func TestOptionsForEverybody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, r := range w.routes {
		for _, who := range w.callers {
			target := strings.NewReplacer("*", "in/f", ":id", "x").Replace(r.path)
			got := w.send("OPTIONS", target, who, []string{"Origin: https://app.example", "Access-Control-Request-Method: PUT"})
			if got.status != 200 && got.status != 204 || got.header.Get("Allow") == "" {
				t.Errorf("%s as %s: status %d, Allow %q", target, who.name, got.status, got.header.Get("Allow"))
			}
		}
	}
}

// Pages of others change nothing, whoever is known to the browser that shows them,
// and are refused before a body.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, r := range w.routes {
		for _, method := range r.methods {
			if method == "GET" || method == "HEAD" || method == "OPTIONS" {
				continue
			}
			for _, who := range w.callers {
				s := w.sample(method+" "+r.path, who)
				for _, foreign := range []string{"Sec-Fetch-Site: cross-site", "Origin: https://evil.example", "Origin: null"} {
					got := w.send(method, s.target, who, append(slices.Clone(s.fields), foreign, "Content-Length: 1073741824"))
					if got.status != 403 {
						t.Errorf("%s %s as %s with %s: status %d", method, r.path, who.name, foreign, got.status)
					}
				}
			}
		}
	}
}

// isEarly reports whether the head alone decides: not where it takes a look at
// what is there, for a request whose body has no meaning.
func isEarly(route string, want int, who caller) bool {
	method, path, _ := strings.Cut(route, " ")
	switch {
	case want == 404:
		return path == "/files/*" || method == "PATCH"
	case who.column == "list" && path == "/files/*":
		return method != "GET" && method != "HEAD"
	}
	return want == 401 || want == 403
}

// Whoever may neither read nor list can't tell what is there from what isn't.
func TestExistenceHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(os.MkdirAll(filepath.Join(w.root, "in", "folder"), 0o700))
	for _, who := range w.callers {
		if slices.Contains([]string{"all", "link", "list", "read"}, who.column) || who.column == "linkmethod" {
			continue
		}
		for _, method := range []string{"GET", "HEAD"} {
			var statuses []int
			for _, target := range []string{"/files/in/f", "/files/in/none", "/files/in/folder", "/files/in/folder/", "/files/in/none/", "/files/in/f/", "/files/none/none", "/files/in", "/files/"} {
				statuses = append(statuses, w.send(method, target, who, nil).status)
			}
			if len(slices.Compact(statuses)) != 1 {
				t.Errorf("%s as %s: statuses %v", method, who.name, statuses)
			}
		}
	}
	read := caller{fields: []string{"Authorization: Bearer " + w.tokens["read"]}}
	for _, target := range []string{"/files/in/folder", "/files/in/folder/", "/files/in/none", "/files/", "/files/in/folder/?archive=zip"} {
		w.want(w.send("GET", target, read, nil), 404)
	}
}

// No way of writing a name leads out of a caller's folder.
func TestFolderHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	outside := caller{name: "outside", fields: []string{"Authorization: Bearer " + w.tokens["outside"]}}
	w.must(os.MkdirAll(filepath.Join(w.root, "others"), 0o700))
	w.must(os.WriteFile(filepath.Join(w.root, "others", "f"), nil, 0o600))
	var targets []string
	for _, path := range []string{
		"in/f", "in%2ff", "other/../in/f", "other%2f..%2fin%2ff", "other/%2e%2e/in/f", "./in/f", "//in/f", "other/..%2fin/f", "%2fin/f", "OTHER/f", "others/f", "other%00/../in/f",
		"oth%65r/../in/f", "other%5c..%5cin%5cf", "other;/../in/f", "other/./../in/f", "other%252f..%252fin%252ff", "",
	} {
		targets = append(targets, "/files/"+path)
	}
	for _, target := range targets {
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "POST"} {
			fields := []string{"Content-Length: 0"}
			if method == "POST" {
				fields = []string{"Content-Type: multipart/form-data; boundary=x", fmt.Sprintf("Content-Length: %d", len(formBody))}
			}
			if got := w.send(method, target, outside, fields, formBody[:len(formBody)*len(fields[1:])]); got.status < 400 && !isWithin(target) {
				t.Errorf("%s %s: status %d", method, target, got.status)
			}
		}
	}
	for _, pair := range [][2]string{
		{"relativePath", "in/x"}, {"relativePath", "/in/x"}, {"relativePath", "other/../in/x"}, {"relativePath", "null"}, {"filename", "x"}, {"filename", "other/x"},
		{"filename", `other\x`}, {"path", "other"}, {"name", "other/x"}, {"relativePath", "others/x"}, {"relativePath", "other"},
	} {
		metadata := "Upload-Metadata: " + pair[0] + " " + base64.StdEncoding.EncodeToString([]byte(pair[1]))
		got := w.send("POST", "/tus/", outside, []string{tusField, "Upload-Length: 5", metadata, "Content-Length: 0"})
		if got.status < 400 && pair[1] != "other" {
			t.Errorf("tus upload with %q: status %d", pair, got.status)
		}
	}
	draft := []string{"Upload-Draft-Interop-Version: 6", "Upload-Complete: ?1", `Content-Disposition: attachment; filename="x"`, "Content-Length: 5"}
	if got := w.send("POST", "/tus/", outside, draft, "hello"); got.status < 400 {
		t.Errorf("draft: status %d", got.status)
	}
	for _, name := range []string{"in/f", "others/f"} {
		if _, err := os.Stat(filepath.Join(w.root, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := os.ReadDir(w.root)
	w.must(err)
	for _, entry := range entries {
		if !slices.Contains([]string{".sluice", "in", "others", "other"}, entry.Name()) {
			t.Errorf("%s has come from somewhere", entry.Name())
		}
	}
	for name, count := range map[string]int{"in": 1, "others": 1} {
		entries, err := os.ReadDir(filepath.Join(w.root, name))
		if err != nil || len(entries) != count {
			t.Errorf("%s holds %v, %v", name, entries, err)
		}
	}
}

// isWithin reports whether a strange path means a file of the folder after all.
func isWithin(target string) bool { return strings.HasPrefix(target, "/files/other%252f") }
