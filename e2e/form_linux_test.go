package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// storedFile is what an answer says of a stored file.
type storedFile struct {
	Name   string `json:"name"`
	URL    string `json:"url"`
	Size   int64  `json:"size"`
	Digest string `json:"digest"`
}

// A form may hold any number of files and fields in any order; the answer
// lists each file.
func TestForm(t *testing.T) {
	t.Parallel()
	large, small, empty := content(t, 3*mib+1), content(t, 1000), content(t, 0)
	for _, test := range []struct {
		name   string
		folder string
		form   []string          // curl's fields
		want   map[string]string // names of the files to the paths of their contents
	}{
		{"one file", "", []string{"file=@" + large + ";filename=a.bin"}, map[string]string{"a.bin": large}},
		{"files before fields", "", []string{
			"file=@" + large + ";filename=a.bin", "file=@" + small + ";filename=b.bin", "note=hello",
		}, map[string]string{"a.bin": large, "b.bin": small}},
		{"fields before and between files", "", []string{
			"note=hello", "file=@" + small + ";filename=b.bin", "empty=", "other=@" + large + ";filename=a.bin", "last=1",
		}, map[string]string{"b.bin": small, "a.bin": large}},
		{"empty files", "", []string{
			"a=@" + empty + ";filename=a.bin", "b=@" + empty + ";filename=b.bin",
		}, map[string]string{"a.bin": empty, "b.bin": empty}},
		{"into a folder", "x y/z/", []string{"file=@" + small + ";filename=a.bin"}, map[string]string{"x y/z/a.bin": small}},
		{"a name with spaces", "", []string{"file=@" + small + ";filename=a b.bin"}, map[string]string{"a b.bin": small}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			var args []string
			for _, field := range test.form {
				args = append(args, "-F", field)
			}
			a := curl(t, append(args, s.url("/files/"+strings.ReplaceAll(test.folder, " ", "%20")))...).want(t, 200, 201)
			checkStored(t, s, a, test.want)
		})
	}
}

// checkStored compares the answer and the files with what was sent.
func checkStored(t *testing.T, s *server, a answer, want map[string]string) {
	t.Helper()
	var got struct {
		URL   string       `json:"url"`
		Files []storedFile `json:"files"`
	}
	a.decode(t, &got)
	if len(got.Files) != len(want) {
		t.Fatalf("the answer lists %d files, want %d:\n%s", len(got.Files), len(want), a.body)
	}
	if got.URL != got.Files[0].URL {
		t.Errorf("url is %q, want the first file's %q", got.URL, got.Files[0].URL)
	}
	for _, file := range got.Files {
		source, ok := want[file.Name]
		if !ok {
			t.Errorf("the answer lists %q", file.Name)
			continue
		}
		info, err := os.Stat(source)
		if err != nil {
			t.Fatal(err)
		}
		if digest := digestOf(t, source); file.Size != info.Size() || file.Digest != digest {
			t.Errorf("%s: size %d and digest %s, want %d and %s", file.Name, file.Size, file.Digest, info.Size(), digest)
		}
		sameFile(t, s.file(file.Name), source)
		if err := download(s.url(file.URL), source); err != nil {
			t.Error(err)
		}
	}
}

// A form that does not end as it should stores nothing.
//
// https://github.com/expressjs/multer/issues/1176
// https://github.com/kuzzleio/kuzzle/pull/1716
func TestBrokenForm(t *testing.T) {
	t.Parallel()
	s := start(t)
	begun := partHead("broken.bin") + "content"
	for _, test := range []struct {
		name, kind, body string
		status           int
	}{
		{"no closing boundary", formType, begun, 400},
		{"half a closing boundary", formType, begun + "\r\n--" + boundary + "-", 400},
		{"blank inside the closing boundary", formType, begun + "\r\n--" + boundary + " --", 400},
		{"only a delimiter", formType, begun + "\r\n--" + boundary + "\r\n", 400},
		{"end inside the head of a part", formType, "--" + boundary + "\r\nContent-Disposition: form-da", 400},
		{"end behind the head of a part", formType, partHead("broken.bin"), 400},
		{"only the closing boundary", formType, "--" + boundary + "--\r\n", 400},
		{"no body", formType, "", 400},
		{"second file unfinished", formType, begun + "\r\n" + partHead("second.bin") + "content", 400},
		{"part without disposition", formType, "--" + boundary + "\r\nX: y\r\n\r\ncontent" + formTail, 400},
		{"no boundary", "Content-Type: multipart/form-data", begun + formTail, 400},
		{"empty boundary", `Content-Type: multipart/form-data; boundary=""`, begun + formTail, 400},
		{"long boundary", "Content-Type: multipart/form-data; boundary=" + strings.Repeat("b", 71), begun + formTail, 400},
		{"not a form", "Content-Type: application/json", "{}", 415},
		{"no type", "Content-Type:", begun + formTail, 415},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := s.in(t)
			reply := dial(t, s).send(requestHead("POST", "/files/", test.kind, length(len(test.body))), test.body).fin().rest()
			if got := reply.statuses(); len(got) != 1 || got[0] != test.status {
				t.Errorf("statuses %v, want %d\n%s", got, test.status, reply.raw)
			}
			s.missing("broken.bin")
			s.missing("second.bin")
			eventually(t, "the server is at rest", s.atRest)
		})
	}
}

// What looks like a boundary but is none is content.
//
// https://github.com/abonander/multipart/issues/139
// https://github.com/netty/netty/issues/11668
func TestBoundaryInContent(t *testing.T) {
	t.Parallel()
	s := start(t)
	delimiter := "\r\n--" + boundary
	contents := []string{
		delimiter[:len(delimiter)-1],
		delimiter[:len(delimiter)-1] + "\r\n",
		delimiter + "x\r\n",
		delimiter + "-",
		delimiter + "-x",
		"x--" + boundary + "--",
		"\n--" + boundary + "--\n",
		"\r--" + boundary + "--\r",
		"text --" + boundary + "-- text",
		"\r\n", "\r\n\r\n", "\r\n\r\n\r\n", "\r", "\n", "\r\n-", "\r\n--", "text\r", "text\r\n-",
		strings.Repeat(delimiter[:len(delimiter)-1], 5000),
	}
	for _, around := range []int{4 * kib, 16 * kib, 32 * kib, 64 * kib, 128 * kib, mib} {
		for _, size := range []int{around - 3, around - 1, around, around + 1, around + 3} {
			contents = append(contents, strings.Repeat("\r\n--", size)[:size])
		}
	}
	var body strings.Builder
	for i, c := range contents {
		body.WriteString(partHead(fmt.Sprintf("%d.bin", i)) + c + "\r\n")
	}
	body.WriteString("--" + boundary + "--\r\n")
	head := requestHead("POST", "/files/", formType, length(body.Len()))
	if reply := dial(t, s).send(head, body.String()).fin().rest(); !reply.success() {
		t.Fatalf("got %q", reply.raw)
	}
	for i, c := range contents {
		name := fmt.Sprintf("%d.bin", i)
		if got := read(t, s.file(name)); string(got) != c {
			t.Errorf("%s: stored %d bytes, not the %d bytes sent that begin with %.40q", name, len(got), len(c), c)
		}
	}
}

// Where the network cuts a body makes no difference.
func TestFormByteByByte(t *testing.T) {
	t.Parallel()
	s := start(t)
	const want = "\r\n--" + boundary + "x\r\n\r\n--"
	head, tail := openForm(s, "slow.bin", len(want))
	p := dial(t, s)
	for _, b := range []byte(head + want + tail) {
		p.send(string(b))
	}
	if reply := p.fin().rest(); !reply.success() {
		t.Fatalf("got %q", reply.raw)
	}
	if got := read(t, s.file("slow.bin")); !bytes.Equal(got, []byte(want)) {
		t.Errorf("stored %q, want %q", got, want)
	}
}

// What stands before the first boundary and behind the last is no content and
// no request.
//
// https://github.com/Kludex/python-multipart/issues/162
func TestTextAroundForm(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, test := range []struct{ name, before, after string }{
		{"dashes behind", "", strings.Repeat("-", mib)},
		{"a request behind", "", "\r\nGET /files/SMUGGLED HTTP/1.1\r\nHost: x\r\n\r\n"},
		{"text before", strings.Repeat("preamble\r\n", 10_000), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := test.before + partHead("around.bin") + "content" + formTail + test.after
			p := dial(t, s.in(t)).send(requestHead("POST", "/files/", formType, length(len(body))))
			_ = p.try(body) // the server may have answered before all of it is out
			reply := p.fin().rest()
			if got := reply.statuses(); len(got) != 1 {
				t.Errorf("statuses %v, want one\n%s", got, reply.raw)
			}
			if reply.success() && string(read(t, s.file("around.bin"))) != "content" {
				t.Error("the file is not what was sent")
			}
		})
	}
	if strings.Contains(s.log.String(), "SMUGGLED") {
		t.Error("text behind a form was taken for a request")
	}
}
