package e2e_test

import (
	"fmt"
	"os"
	"slices"
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
// https://github.com/expressjs/multer/issues/1338
// https://github.com/expressjs/multer/issues/719
// https://github.com/expressjs/multer/issues/224
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
		{"no boundary", "Content-Type: multipart/form-data", begun + formTail, 415},
		{"empty boundary", `Content-Type: multipart/form-data; boundary=""`, begun + formTail, 400},
		{"boundary of 71", "Content-Type: multipart/form-data; boundary=" + strings.Repeat("b", 71), begun + formTail, 400},
		{"boundary of 4000", "Content-Type: multipart/form-data; boundary=" + strings.Repeat("b", 4000), begun + formTail, 400},
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
// https://github.com/0xShug0/audio.cpp/issues/643
// https://github.com/abonander/multipart/issues/139
// https://github.com/netty/netty/issues/11668
// https://github.com/warmcat/libwebsockets/issues/641
// https://github.com/Http-Multipart-Data-Parser/HttpMultipartParser/pull/31
func TestBoundaryInContent(t *testing.T) {
	t.Parallel()
	s := start(t)
	delimiter := "\r\n--" + boundary
	contents := append(lookAlikes(), strings.Repeat(delimiter[:len(delimiter)-1], 5000))
	for _, around := range []int{4 * kib, 16 * kib, 32 * kib, 64 * kib, 128 * kib, 512 * kib, mib, 4 * mib} {
		for size := around - 3; size <= around+3; size++ {
			contents = append(contents, strings.Repeat(delimiter+"x", size/len(delimiter)+1)[:size-1]+"x")
		}
	}
	head, body := formOf(contents)
	if reply := dial(t, s).send(head, body).fin().rest(); !reply.success() {
		t.Fatalf("got %q", reply.raw)
	}
	checkContents(t, s, contents)
}

// lookAlikes are contents that a form's boundary is hard to tell from.
func lookAlikes() []string {
	const delimiter = "\r\n--" + boundary
	return []string{
		delimiter[:len(delimiter)-1],
		delimiter[:len(delimiter)-1] + "\r\n",
		delimiter + "x\r\n",
		delimiter + "-",
		delimiter + "-x",
		delimiter + " x",
		delimiter + " --",
		delimiter + "\r\r\n",
		"x--" + boundary + "--",
		"\n--" + boundary + "--\n",
		"\r--" + boundary + "--\r",
		"text --" + boundary + "-- text",
		"\r\n", "\r\n\r\n", "\r\n\r\n\r\n", "\r", "\n", "\r\n-", "\r\n--",
		"text\r", "text\r\n", "text\r\n\r\n", "text\r\n\r\n\r\n", "text\r\n-",
	}
}

// formOf makes a request with a file of each content, named by its number.
func formOf(contents []string) (head, body string) {
	var b strings.Builder
	for i, c := range contents {
		b.WriteString(partHead(fmt.Sprintf("%d.bin", i)) + c + "\r\n")
	}
	b.WriteString("--" + boundary + "--\r\n")
	return requestHead("POST", "/files/", formType, length(b.Len())), b.String()
}

// checkContents compares what formOf has sent with the disk.
func checkContents(t *testing.T, s *server, contents []string) {
	t.Helper()
	for i, c := range contents {
		name := fmt.Sprintf("%d.bin", i)
		if got := read(t, s.file(name)); string(got) != c {
			t.Errorf("%s: stored %d bytes, not the %d bytes sent that begin with %.40q", name, len(got), len(c), c)
		}
	}
}

// Where the network cuts a body makes no difference.
//
// https://github.com/netty/netty/issues/11668
func TestFormInSmallPieces(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 5} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			head, body := formOf(lookAlikes())
			p := dial(t, s)
			for piece := range slices.Chunk([]byte(head+body), size) {
				p.send(string(piece))
			}
			if reply := p.fin().rest(); !reply.success() {
				t.Fatalf("got %q", reply.raw)
			}
			checkContents(t, s, lookAlikes())
		})
	}
}

// A boundary may be as long, and hold what, RFC 2046 allows.
func TestBoundaries(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i, b := range []string{"b", "--", strings.Repeat("b", 70), strings.Repeat("-", 70), "'()+_,-./:=?0 z", "b=c"} {
		name := fmt.Sprintf("%d.bin", i)
		content := "\r\n--" + b + "#\r\n" + b + "\r\n--" + b[:len(b)-1]
		form := strings.ReplaceAll(partHead(name)+content+formTail, boundary, b)
		curlWith(t, strings.NewReader(form), "--data-binary", "@-",
			"-H", `Content-Type: multipart/form-data; boundary="`+b+`"`, s.url("/files/")).want(t, 200)
		if got := read(t, s.file(name)); string(got) != content {
			t.Errorf("boundary %q: stored %q, want %q", b, got, content)
		}
	}
}

// A form that asks for too much of the server is refused before all of it has
// been read.
//
// https://github.com/expressjs/multer/issues/1176
// https://github.com/expressjs/multer/issues/1338
func TestFormBeyondLimits(t *testing.T) {
	t.Parallel()
	s := start(t)
	field := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"f\"\r\n"
	for _, test := range []struct {
		name, body string
		status     int
	}{
		{"header line of 20 MB", field + "X: " + strings.Repeat("x", 20_000_000) + "\r\n\r\n" + formTail, 431},
		{"10000 headers", field + strings.Repeat("X: y\r\n", 10_000) + "\r\n" + formTail, 431},
		{"100000 parts", strings.Repeat(field+"\r\n\r\n", 100_000) + formTail[2:], 413},
		{"preamble of 1 MB", strings.Repeat("x", 1_000_000) + "\r\n" + partHead("f.bin") + formTail, 400},
		{"preamble of 1 MB of line ends", strings.Repeat("\r\n", 500_000) + partHead("f.bin") + formTail, 400},
		{"padding of 1 MB", "--" + boundary + strings.Repeat(" ", 1_000_000) + "\r\n" + formTail, 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := s.in(t)
			p := dial(t, s).send(requestHead("POST", "/files/", formType, length(len(test.body))))
			_ = p.try(test.body) // the server may stop reading
			_ = p.conn.CloseWrite()
			reply := p.rest()
			if got := reply.statuses(); len(got) != 1 || got[0] != test.status {
				t.Errorf("statuses %v, want %d\n%s", got, test.status, reply.raw)
			}
			s.missing("f.bin")
			s.put(test.name, "the next request").want(t, 201)
		})
	}
}

// What stands before the first boundary and behind the last is no content and
// no request.
//
// https://github.com/Kludex/python-multipart/issues/162
// https://github.com/valyala/fasthttp/pull/2336
func TestTextAroundForm(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, test := range []struct{ name, before, after string }{
		{"dashes behind", "", strings.Repeat("-", mib)},
		{"a request behind", "", "\r\nGET /files/SMUGGLED HTTP/1.1\r\nHost: x\r\n\r\n"},
		{"many requests behind", "", strings.Repeat("\r\nGET /files/SMUGGLED HTTP/1.1\r\nHost: x\r\n\r\n", mib/48)},
		{"another form behind", "", strings.Repeat(partHead("smuggled.bin")+formTail, 2000)},
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
	if log := s.log.String(); strings.Contains(log, "SMUGGLED") || len(log) > 64*kib {
		t.Errorf("text behind a form was taken for a request, or fills the log: %d bytes", len(log))
	}
	s.missing("smuggled.bin")
}
