package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sender stores a text under a name by one request of curl.
type sender struct {
	name string
	args func(s *server, name, text string) []string
	// told is the address of the file in the answer.
	told func(t testing.TB, a answer) string
}

var senders = []sender{
	{"PUT", func(s *server, name, _ string) []string {
		return []string{"-T", "-", s.fileURL(name)}
	}, func(_ testing.TB, a answer) string { return a.header.Get("Location") }},
	{"form", func(s *server, name, _ string) []string {
		return []string{"-F", "file=@-;filename=" + name, s.url("/files/")}
	}, toldByForm},
	{"tus", func(s *server, name, text string) []string {
		return []string{"-X", "POST", "-H", tusVersion, "-H", tusType, "-H", tusName(name),
			"-H", fmt.Sprintf("Upload-Length: %d", len(text)), "--data-binary", "@-", s.url("/tus/")}
	}, func(_ testing.TB, a answer) string { return a.header.Get("Content-Location") }},
}

func toldByForm(t testing.TB, a answer) string {
	t.Helper()
	var form struct {
		Files []storedFile `json:"files"`
	}
	if a.decode(t, &form); len(form.Files) != 1 {
		t.Fatalf("the answer is %s", a.body)
	}
	return form.Files[0].URL
}

// run is for goroutines other than the test's.
func (by sender) run(s *server, name, text string) (answer, error) {
	return runCurl(strings.NewReader(text), by.args(s, name, text)...)
}

func (by sender) send(s *server, name, text string) answer {
	s.t.Helper()
	a, err := by.run(s, name, text)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// Where files are kept, an upload to a name that is taken is refused, before
// its body is asked for.
func TestConflictReject(t *testing.T) {
	t.Parallel()
	s := start(t, "--on-conflict", "reject")
	for _, by := range senders {
		t.Run(by.name, func(t *testing.T) {
			s := s.in(t)
			by.send(s, by.name, "older").want(t, 200, 201)
			by.send(s, by.name, "newer").wantProblem(t, 409)
			if got := string(read(t, s.file(by.name))); got != "older" {
				t.Errorf("the file holds %q", got)
			}
		})
	}
	path := content(t, 5*mib+1)
	for _, test := range []struct {
		name string
		args []string
	}{
		{"PUT", []string{"-T", path, s.fileURL("PUT")}},
		{"tus", []string{"-X", "POST", "-H", tusVersion, "-H", tusType, "-H", tusName("PUT"), "-H", fmt.Sprintf("Upload-Length: %d", 5*mib+1),
			"-H", "Expect: 100-continue", "--data-binary", "@" + path, s.url("/tus/")}},
	} {
		t.Run(test.name+" with Expect", func(t *testing.T) {
			a := curl(t, test.args...)
			a.wantProblem(t, 409)
			a.unasked(t)
		})
	}
	eventually(t, "the server is at rest", s.atRest)
}

// A name that is taken while the upload is under way is refused at the end. A
// tus upload can then be dropped, or completed when the name is free again.
func TestConflictRejectAtTheEnd(t *testing.T) {
	t.Parallel()
	const size = 100_000
	newer := read(t, content(t, size))
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "--on-conflict", "reject")
			u := w.beginHalf(s, "f", newer)
			s.put("f", "older")
			if got := u.rest(newer[size/2:]).statuses(); len(got) != 1 || got[0] != 409 {
				t.Errorf("statuses %v, want 409", got)
			}
			eventually(t, "the server is at rest", s.atRest)
			if got := string(read(t, s.file("f"))); got != "older" {
				t.Errorf("the file holds %d other bytes", len(got))
			}
		})
	}
	t.Run("tus goes on", func(t *testing.T) {
		t.Parallel()
		s := start(t, "--on-conflict", "reject")
		completed, dropped := s.createTus("f", size), s.createTus("f", size)
		s.put("f", "older")
		for _, path := range []string{completed, dropped} {
			s.patch(path, 0, newer).wantProblem(t, 409)
		}
		curl(t, "-X", "DELETE", "-H", tusVersion, s.url(dropped)).want(t, 204)
		curlHead(t, "-H", tusVersion, s.url(dropped)).want(t, 404)
		curl(t, "-X", "DELETE", s.fileURL("f")).want(t, 204)
		if offset := s.offset(completed); offset != size {
			t.Errorf("offset %d, want %d", offset, size)
		}
		if !bytes.Equal(read(t, s.file("f")), newer) {
			t.Error("the file is not what was sent")
		}
	})
}

// Where uploads are renamed, each gets a name of its own, which the answer
// tells.
func TestConflictRename(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 250) + ".html"
	for _, by := range senders {
		t.Run(by.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "--on-conflict", "rename")
			var want []string
			for name, renamed := range map[string][]string{
				"f.txt":      {"f (1).txt", "f (2).txt"},
				"f.tar.gz":   {"f.tar (1).gz"},
				"f":          {"f (1)"},
				".profile":   {".profile (1)"},
				"f (1).html": {"f (1) (1).html"},
				long:         {strings.Repeat("x", 246) + " (1).html"},
			} {
				for i, stored := range append([]string{name}, renamed...) {
					text := name + strconv.Itoa(i)
					a := by.send(s, name, text).want(t, 200, 201)
					if got := curl(t, "--globoff", s.url(by.told(t, a))).want(t, 200); string(got.body) != text {
						t.Errorf("%s gives %q, want %q", by.told(t, a), got.body, text)
					}
					if got := string(read(t, s.file(stored))); got != text {
						t.Errorf("%s holds %q, want %q", stored, got, text)
					}
					want = append(want, stored)
				}
			}
			slices.Sort(want)
			if got := s.stored(); !slices.Equal(got, want) {
				t.Errorf("the disk holds\n%q, want\n%q", got, want)
			}
		})
	}
}

// Whoever comes first, all uploads to one name are stored whole.
func TestConflictRenameTogether(t *testing.T) {
	t.Parallel()
	const writers = 16
	s := start(t, "--on-conflict", "rename")
	names := make([]string, writers)
	together(t, writers, func(i int) error {
		text := strings.Repeat(strconv.Itoa(i), 100_000)
		a, err := runCurl(strings.NewReader(text), "-T", "-", s.fileURL("f.txt"))
		if err != nil {
			return err
		}
		var stored storedFile
		if err := json.Unmarshal(a.body, &stored); err != nil {
			return err
		}
		names[i] = stored.Name
		return nil
	})
	for i, name := range names {
		if got := string(read(t, s.file(name))); got != strings.Repeat(strconv.Itoa(i), 100_000) {
			t.Errorf("%s holds %d bytes, not what was stored there", name, len(got))
		}
	}
	if got := s.stored(); len(got) != writers {
		t.Errorf("the disk holds %q", got)
	}
}

// Of writers to one name, one wins whole.
func TestConflictOverwriteTogether(t *testing.T) {
	t.Parallel()
	const writers, size = 16, 300_000
	s := start(t)
	together(t, writers, func(i int) error {
		a, err := senders[i%len(senders)].run(s, "f", strings.Repeat(string(rune('a'+i)), size))
		a.want(t, 200, 201)
		return err
	})
	got := string(read(t, s.file("f")))
	if len(got) != size || got != strings.Repeat(got[:1], size) {
		t.Errorf("the file holds %d bytes, not those of one writer", len(got))
	}
	eventually(t, "the server is at rest", s.atRest)
}

// Preconditions of a PUT are decided before its body is asked for, and once
// more at its end (RFC 9110 section 13).
func TestPutConditions(t *testing.T) {
	t.Parallel()
	const size = 2 * mib
	path := content(t, size)
	s := start(t)
	tag := s.put("f", "older").header.Get("ETag")
	if tag == "" {
		t.Fatal("a PUT tells no ETag")
	}
	for _, test := range []struct {
		name, file, field string
		status            int
	}{
		{"only if new, and it is not", "f", "If-None-Match: *", 412},
		{"only if changed, and it is not", "f", "If-None-Match: " + tag, 412},
		{"only this version, and it is another", "f", `If-Match: "other"`, 412},
		{"only this version, weakly", "f", "If-Match: W/" + tag, 412},
		{"only if it exists, and it does not", "none", "If-Match: *", 412},
		{"only this version, and there is none", "none", "If-Match: " + tag, 412},
		{"only if older, and it is younger", "f", "If-Unmodified-Since: Mon, 01 Jan 2001 00:00:00 GMT", 412},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := curl(t, "-T", path, "-H", test.field, s.fileURL(test.file))
			a.wantProblem(t, test.status)
			a.unasked(t)
			if got := string(read(t, s.file("f"))); got != "older" || len(s.stored()) != 1 {
				t.Errorf("the file holds %d bytes, the disk %q", len(got), s.stored())
			}
		})
	}
	for _, test := range []struct {
		name, file, field string
		status            int
	}{
		{"only if new", "new", "If-None-Match: *", 201},
		{"only this version", "f", "If-Match: " + tag, 200},
		{"only if it exists", "f", "If-Match: *", 200},
		{"only if it is another", "f", "If-None-Match: " + tag, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			curl(t, "-T", path, "-H", test.field, s.fileURL(test.file)).want(t, test.status)
			sameFile(t, s.file(test.file), path)
		})
	}
}

// The condition is also decided when the body has come, so that of those who
// all want to be the first one is.
func TestPutConditionTogether(t *testing.T) {
	t.Parallel()
	const writers, rounds = 8, 5
	s := start(t)
	for round := range rounds {
		name := strconv.Itoa(round)
		statuses := make([]int, writers)
		uploads := make([]*uploading, writers)
		for i := range uploads {
			p := dial(t, s).send(requestHead("PUT", "/files/"+name, length(2), "If-None-Match: *"), strconv.Itoa(i))
			uploads[i] = &uploading{p.conn, p, ""}
		}
		s.received("put", round*2*writers+writers)
		together(t, writers, func(i int) error {
			reply := uploads[i].rest([]byte(strconv.Itoa(i)))
			if got := reply.statuses(); len(got) == 1 {
				statuses[i] = got[0]
			}
			return nil
		})
		winner := slices.Index(statuses, 201)
		if winner < 0 {
			t.Fatalf("statuses %v, want one 201", statuses)
		}
		if got, want := string(read(t, s.file(name))), strings.Repeat(strconv.Itoa(winner), 2); got != want {
			t.Errorf("the file holds %q, want the winner's %q", got, want)
		}
		statuses[winner] = 412
		if slices.ContainsFunc(statuses, func(status int) bool { return status != 412 }) {
			t.Errorf("the others got %v, want 412", statuses)
		}
	}
}
