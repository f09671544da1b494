package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// draft is a request of the IETF's draft in one of its versions.
func (s *server) draft(version int, method, path, content string, complete bool, fields ...string) answer {
	s.t.Helper()
	flag := map[bool]string{true: "Upload-Complete: ?1", false: "Upload-Complete: ?0"}[complete]
	if version == 3 {
		flag = map[bool]string{true: "Upload-Incomplete: ?0", false: "Upload-Incomplete: ?1"}[complete]
	}
	args := []string{"-X", method, "-H", fmt.Sprintf("Upload-Draft-Interop-Version: %d", version), "-H", flag, "-H", "Content-Type:", "--data-binary", "@-"}
	if method == "PATCH" {
		args = append(args, "-H", "Content-Type: application/partial-upload")
	}
	for _, field := range fields {
		args = append(args, "-H", field)
	}
	return curlWith(s.t, strings.NewReader(content), append(args, s.url(path))...)
}

// askDraft asks how far an upload has come, and whether that is all.
func (s *server) askDraft(version int, path string) (offset, complete string) {
	s.t.Helper()
	header := curlHead(s.t, "-H", fmt.Sprintf("Upload-Draft-Interop-Version: %d", version), s.url(path)).want(s.t, 204).header
	if header.Get("Cache-Control") != "no-store" {
		s.t.Errorf("HEAD: %v", header)
	}
	if version == 3 {
		return header.Get("Upload-Offset"), map[string]string{"?0": "?1", "?1": "?0"}[header.Get("Upload-Incomplete")]
	}
	return header.Get("Upload-Offset"), header.Get("Upload-Complete")
}

// An upload by the draft is created, cut off, asked for and resumed in each
// version, and becomes the file that its Content-Disposition names.
//
// https://datatracker.ietf.org/doc/draft-ietf-httpbis-resumable-upload/
func TestDraft(t *testing.T) {
	t.Parallel()
	s := start(t, "--ietf-uploads")
	for version := 3; version <= 6; version++ {
		name := fmt.Sprintf("draft-%d.txt", version)
		created := s.draft(version, "POST", "/tus/", "hello", false, `Content-Disposition: attachment; filename="`+name+`"`).want(t, 201)
		upload := created.header.Get("Location")
		if fmt.Sprint(created.interim) != "[104]" || !strings.HasPrefix(upload, "/tus/") || created.header.Get("Tus-Resumable") != "" {
			t.Errorf("version %d: %v, %v", version, created.interim, created.header)
		}
		if offset, complete := s.askDraft(version, upload); offset != "5" || complete != "?0" {
			t.Errorf("version %d: at %s, complete %s", version, offset, complete)
		}
		wrong := s.draft(version, "PATCH", upload, "world", true, "Upload-Offset: 3")
		if wrong.wantProblem(t, 409); wrong.header.Get("Upload-Offset") != "5" {
			t.Errorf("version %d: a wrong offset is answered by %v", version, wrong.header)
		}
		if version == 6 {
			s.draft(version, "PATCH", upload, "world", true, "Upload-Offset: 5", "Content-Type: text/plain").wantProblem(t, 415)
		}
		more := s.draft(version, "PATCH", upload, ", ", false, "Upload-Offset: 5").want(t, 204)
		if more.header.Get("Upload-Offset") != "7" || more.header.Get("Upload-Complete")+more.header.Get("Upload-Incomplete") == "" {
			t.Errorf("version %d: a piece is answered by %v", version, more.header)
		}
		done := s.draft(version, "PATCH", upload, "world", true, "Upload-Offset: 7").want(t, 204)
		if done.header.Get("Content-Location") != "/files/"+name || done.header.Get("Repr-Digest") == "" {
			t.Errorf("version %d: the last piece is answered by %v", version, done.header)
		}
		if got := string(read(t, s.file(name))); got != "hello, world" {
			t.Errorf("version %d: the file holds %q", version, got)
		}
		if offset, complete := s.askDraft(version, upload); offset != "12" || complete != "?1" {
			t.Errorf("version %d: at %s, complete %s", version, offset, complete)
		}
	}
	if transfers := string(curl(t, s.url("/api/v1/transfers")).body); !strings.Contains(transfers, `"draft-6.txt"`) {
		t.Errorf("transfers are %s", transfers)
	}
	// All of it at once, in chunks, or nothing at all; without a name.
	for _, test := range []struct {
		content string
		fields  []string
	}{{"hello", nil}, {"hello", []string{chunked}}, {"", nil}} {
		a := s.draft(6, "POST", "/tus/", test.content, true, test.fields...).want(t, 201)
		if got := string(read(t, s.file(strings.TrimPrefix(a.header.Get("Location"), "/tus/")))); got != test.content {
			t.Errorf("%v: the file holds %q", test, got)
		}
	}
	// Taken off.
	gone := s.draft(6, "POST", "/tus/", "hello", false).want(t, 201).header.Get("Location")
	curl(t, "-X", "DELETE", "-H", "Upload-Draft-Interop-Version: 6", s.url(gone)).want(t, 204)
	curlHead(t, "-H", "Upload-Draft-Interop-Version: 6", s.url(gone)).want(t, 404)
}

// What a connection broke off is resumed where the interim answer says.
func TestDraftResumesCutCreation(t *testing.T) {
	t.Parallel()
	for _, how := range cuts {
		s := start(t, "--ietf-uploads")
		p := dial(t, s).send(requestHead("POST", "/tus/", "Upload-Draft-Interop-Version: 6", "Upload-Complete: ?1",
			`Content-Disposition: attachment; filename="cut"`, length(10)), "hello")
		interim, err := parseInterim(p.head().raw)
		if err != nil || interim.status != 104 {
			t.Fatalf("the first answer is %+v, %v", interim, err)
		}
		upload := interim.header.Get("Location")
		p.end(how)
		offset := ""
		eventually(t, "the upload is let go of", func() bool {
			offset, _ = s.askDraft(6, upload)
			return offset == "5"
		})
		s.missing("cut")
		s.draft(6, "PATCH", upload, "world", true, "Upload-Offset: "+offset).want(t, 204)
		if got := string(read(t, s.file("cut"))); got != "helloworld" {
			t.Errorf("the file holds %q", got)
		}
	}
}

// parseInterim reads the head of an interim answer.
func parseInterim(raw []byte) (answer, error) {
	a, err := parseAnswer(append(raw, "HTTP/1.1 200 OK\r\n\r\n"...))
	if len(a.interim) > 0 {
		whole, _ := parseAnswer([]byte(strings.Replace(string(raw), " 104 ", " 204 ", 1)))
		a.status, a.header = a.interim[0], whole.header
	}
	return a, err
}

// The draft is held to the limits of all uploads, and its final answer is
// final. Where it isn't switched on, it is tus without its version.
//
// https://github.com/tus/tusd/issues/1386
func TestDraftLimits(t *testing.T) {
	t.Parallel()
	s, off := start(t, "--ietf-uploads", "--max-upload-size", "1000"), start(t, "--max-upload-size", "1000")
	large := strings.Repeat("x", 1001)
	a := off.draft(6, "POST", "/tus/", "hi", false, "Upload-Length: 5000")
	if a.wantProblem(t, 412); a.header.Get("Tus-Version") != "1.0.0" {
		t.Errorf("switched off: %v", a.header)
	}
	a = s.draft(6, "POST", "/tus/", "hi", false, "Upload-Length: 5000")
	a.wantProblem(t, 413)
	a.unasked(t)
	for name, test := range map[string]struct {
		content  string
		complete bool
		fields   []string
		want     int
	}{
		"content beyond the limit":           {large, true, nil, 413},
		"first piece beyond the limit":       {large, false, nil, 413},
		"chunks beyond the limit":            {large, true, []string{chunked}, 413},
		"two lengths":                        {"hi", true, []string{"Upload-Length: 3"}, 400},
		"more than its length":               {"hello", false, []string{"Upload-Length: 3"}, 400},
		"length below zero":                  {"hi", false, []string{"Upload-Length: -5"}, 400},
		"length that is none":                {"hi", false, []string{"Upload-Length: x"}, 400},
		"type that is none":                  {"hi", true, []string{"Content-Type: a/b; c=\""}, 400},
		"disposition that is none":           {"hi", true, []string{"Content-Disposition: attachment; filename=\"a"}, 400},
		"name with a control":                {"hi", true, []string{"Content-Disposition: attachment; filename*=UTF-8''a%0D%0Ab"}, 400},
		"name of dots":                       {"hi", true, []string{`Content-Disposition: attachment; filename=".."`}, 400},
		"name with a path":                   {"hi", true, []string{`Content-Disposition: attachment; filename="../../path"`}, 201},
		"name beyond ASCII":                  {"hi", true, []string{"Content-Disposition: attachment; filename*=UTF-8''%E4%B8%AD"}, 201},
		"content coding":                     {"hi", true, []string{"Content-Encoding: gzip"}, 415},
		"content as long as its length says": {"hi", true, []string{"Upload-Length: 2"}, 201},
	} {
		a := s.draft(6, "POST", "/tus/", test.content, test.complete, test.fields...)
		if a.want(t, test.want); a.status != test.want {
			t.Errorf("that was %s", name)
		}
	}
	const version = "Upload-Draft-Interop-Version: "
	curl(t, "-H", version+"7", "-H", "Upload-Complete: ?1", "-d", "hi", s.url("/tus/")).wantProblem(t, 412)
	curl(t, "-H", version+"6", "-H", "Upload-Complete: maybe", "-d", "hi", s.url("/tus/")).wantProblem(t, 400)
	curl(t, "-H", version+"6", "-d", "hi", s.url("/tus/")).wantProblem(t, 400)
	for _, name := range []string{"path", "中"} {
		if got := string(read(t, s.file(name))); got != "hi" {
			t.Errorf("%s holds %q", name, got)
		}
	}
	upload := s.draft(6, "POST", "/tus/", "hi", false, "Upload-Length: 10").want(t, 201).header.Get("Location")
	s.draft(6, "PATCH", upload, "short", true, "Upload-Offset: 2").wantProblem(t, 400)
	s.draft(6, "PATCH", upload, "much too long", false, "Upload-Offset: 2").wantProblem(t, 413)
	open := s.draft(6, "POST", "/tus/", "hi", false).want(t, 201).header.Get("Location")
	s.draft(6, "PATCH", open, large, true, "Upload-Offset: 2").wantProblem(t, 413)
	if offset, complete := s.askDraft(6, open); offset != "2" || complete != "?0" {
		t.Errorf("at %s, complete %s", offset, complete)
	}
}
