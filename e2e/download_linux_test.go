package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// put stores text under a name and returns the answer.
func (s *server) put(name, text string) answer {
	s.t.Helper()
	return curlWith(s.t, strings.NewReader(text), "-T", "-", s.fileURL(name)).want(s.t, 200, 201)
}

// https://github.com/static-web-server/static-web-server/pull/669
// https://github.com/valyala/fasthttp/issues/47
// https://github.com/denoland/std/pull/3354
func TestRange(t *testing.T) {
	t.Parallel()
	const whole = "0123456789"
	s := start(t)
	s.put("ten", whole)
	s.put("empty", "")
	for _, test := range []struct {
		name, file, field string
		status            int
		contentRange      string
		body              string
	}{
		{"first bytes", "ten", "bytes=0-4", 206, "bytes 0-4/10", "01234"},
		{"open end", "ten", "bytes=5-", 206, "bytes 5-9/10", "56789"},
		{"end behind the file", "ten", "bytes=5-999", 206, "bytes 5-9/10", "56789"},
		{"suffix", "ten", "bytes=-3", 206, "bytes 7-9/10", "789"},
		{"suffix longer than the file", "ten", "bytes=-999", 206, "bytes 0-9/10", whole},
		{"last byte", "ten", "bytes=9-9", 206, "bytes 9-9/10", "9"},
		{"begins behind the file", "ten", "bytes=10-", 416, "bytes */10", ""},
		{"empty suffix", "ten", "bytes=-0", 416, "bytes */10", ""},
		{"ends before it begins", "ten", "bytes=5-2", 200, "", whole},
		{"no number", "ten", "bytes=abc", 200, "", whole},
		{"nothing", "ten", "bytes=", 200, "", whole},
		{"two dashes", "ten", "bytes=--5", 200, "", whole},
		{"no equals sign", "ten", "bytes 0-4", 200, "", whole},
		{"foreign unit", "ten", "items=0-4", 200, "", whole},
		{"several ranges, dearer than the whole", "ten", "bytes=0-1,8-9", 200, "", whole},
		{"several ranges, one of them inside", "ten", "bytes=0-1,10-,20-30", 206, "bytes 0-1/10", "01"},
		{"several ranges, none inside", "ten", "bytes=10-,-0", 416, "bytes */10", ""},
		{"several ranges, one malformed", "ten", "bytes=0-1,x", 200, "", whole},
		{"begin beyond 64 bits", "ten", "bytes=18446744073709551615-", 416, "bytes */10", ""},
		{"end beyond 64 bits", "ten", "bytes=0-99999999999999999999", 206, "bytes 0-9/10", whole},
		{"of an empty file", "empty", "bytes=0-", 416, "bytes */0", ""},
		{"suffix of an empty file", "empty", "bytes=-5", 416, "bytes */0", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := curl(t, "-H", "Range: "+test.field, s.fileURL(test.file)).want(t, test.status)
			if got := a.header.Get("Content-Range"); got != test.contentRange {
				t.Errorf("Content-Range %q, want %q", got, test.contentRange)
			}
			if a.success() && string(a.body) != test.body {
				t.Errorf("body %q, want %q", a.body, test.body)
			}
		})
	}
}

// Several ranges come in parts; what would cost more than the whole file, or
// asks for the same bytes again, gets the whole file.
func TestRanges(t *testing.T) {
	t.Parallel()
	for _, send := range []string{"auto", "direct", "sendfile"} {
		t.Run(send, func(t *testing.T) {
			t.Parallel()
			checkSeveralRanges(t, start(t, "--send", send))
		})
	}
}

func checkSeveralRanges(t *testing.T, s *server) {
	t.Helper()
	const size = 8 * mib
	path := content(t, size)
	data := read(t, path)
	curl(t, "-T", path, s.fileURL("f.txt")).want(t, 201)
	flood := "bytes=0-0"
	for i := range 1000 {
		flood += fmt.Sprintf(",%d-%d", 10*i+2, 10*i+2)
	}
	for _, test := range []struct {
		name, field string
		want        [][2]int // begin and end of each part; none for the whole file
	}{
		{"two", "bytes=0-1,8388606-8388607", [][2]int{{0, 2}, {size - 2, size}}},
		{"three forms", "bytes=10-19,100000-199999,-5", [][2]int{{10, 20}, {100_000, 200_000}, {size - 5, size}}},
		{"large", "bytes=1-2097152,3145731-6291461,8388607-", [][2]int{{1, 2*mib + 1}, {3*mib + 3, 6*mib + 6}, {size - 1, size}}},
		{"adjacent", "bytes=0-9,10-19", [][2]int{{0, 10}, {10, 20}}},
		{"spaces and empty members", "bytes= 0-9 ,, 20-29 ", [][2]int{{0, 10}, {20, 30}}},
		{"one behind the end", "bytes=0-9,20-29,9000000-", [][2]int{{0, 10}, {20, 30}}},
		{"overlapping", "bytes=0-9,9-19", nil},
		{"descending", "bytes=20-29,0-9", nil},
		{"the whole many times", "bytes=0-" + strings.Repeat(",0-", 200), nil},
		{"flood", flood, nil},
		{"all but one byte", "bytes=0-524287,524289-", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := curl(t, "-H", "Range: "+test.field, s.fileURL("f.txt"))
			if test.want == nil {
				if a.want(t, 200); !bytes.Equal(a.body, data) {
					t.Errorf("%d bytes, want the whole file", len(a.body))
				}
				return
			}
			if a.want(t, 206); a.header.Get("Content-Length") != fmt.Sprint(len(a.body)) || a.header.Get("Content-Range") != "" {
				t.Errorf("%d bytes under the fields %q", len(a.body), a.header)
			}
			kind, params, err := mime.ParseMediaType(a.header.Get("Content-Type"))
			if err != nil || kind != "multipart/byteranges" {
				t.Fatalf("Content-Type %q", a.header.Get("Content-Type"))
			}
			parts := multipart.NewReader(bytes.NewReader(a.body), params["boundary"])
			for _, want := range test.want {
				part, err := parts.NextRawPart()
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(part)
				if err != nil || !bytes.Equal(body, data[want[0]:want[1]]) {
					t.Errorf("a part of %d bytes, %v; want those of %v", len(body), err, want)
				}
				wantRange := fmt.Sprintf("bytes %d-%d/%d", want[0], want[1]-1, size)
				if part.Header.Get("Content-Range") != wantRange || part.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
					t.Errorf("a part under the fields %q, want Content-Range %s", part.Header, wantRange)
				}
			}
			if _, err := parts.NextRawPart(); err != io.EOF {
				t.Errorf("behind the last part: %v", err)
			}
		})
	}
}

// The same requests get the same answers from net/http, for the same file and
// validators.
func TestDownloadLikeNetHTTP(t *testing.T) {
	t.Parallel()
	path := content(t, 100_000)
	s := start(t)
	curl(t, "-T", path, s.fileURL("f.bin")).want(t, 201)
	tag := curlHead(t, s.fileURL("f.bin")).header.Get("Etag")
	info, err := os.Stat(s.file("f.bin"))
	if err != nil {
		t.Fatal(err)
	}
	reference := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", tag)
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", info.ModTime(), bytes.NewReader(read(t, path)))
	}))
	t.Cleanup(reference.Close)
	date := info.ModTime().UTC().Format(http.TimeFormat)
	later := info.ModTime().UTC().Add(time.Hour).Format(http.TimeFormat)
	conditions := []string{
		"X-None: x", "If-Match: " + tag, `If-Match: "x"`, "If-None-Match: " + tag, `If-None-Match: "x", W/` + tag, `If-None-Match: "x"`,
		"If-Modified-Since: " + date, "If-Unmodified-Since: " + later, "If-Range: " + tag, `If-Range: "x"`, "If-Range: W/" + tag, "If-Range: " + later,
	}
	for _, condition := range conditions {
		for _, field := range []string{"X-None: x", "Range: bytes=0-99", "Range: bytes=-1", "Range: bytes=99999-", "Range: bytes=100000-"} {
			args := []string{"-H", condition, "-H", field}
			got, want := curl(t, append(args, s.fileURL("f.bin"))...), curl(t, append(args, reference.URL)...)
			if got.status != want.status || got.success() && !bytes.Equal(got.body, want.body) {
				t.Errorf("%q: status %d with %d bytes, want %d with %d", args, got.status, len(got.body), want.status, len(want.body))
			}
			for _, name := range []string{"Etag", "Last-Modified", "Content-Range"} {
				if got.success() && got.header.Get(name) != want.header.Get(name) {
					t.Errorf("%q: %s %q, want %q", args, name, got.header.Get(name), want.header.Get(name))
				}
			}
		}
	}
}

// A 304 has the fields that a cache needs and no content, nor fields that
// describe one, and the connection goes on (RFC 9110 section 15.4.5).
func TestNotModifiedOnTheWire(t *testing.T) {
	t.Parallel()
	s := start(t)
	tag := s.put("f.txt", "content").header.Get("Etag")
	p := dial(t, s)
	for _, method := range []string{"GET", "HEAD"} {
		got := string(p.send(requestHead(method, "/files/f.txt", "If-None-Match: "+tag)).head().raw)
		for _, want := range []string{"HTTP/1.1 304 ", "\r\nEtag: " + tag + "\r\n", "\r\nLast-Modified: ", "\r\nCache-Control: no-cache\r\n", "\r\nDate: "} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", method, want, got)
			}
		}
		for _, field := range []string{"Content-Length", "Content-Type", "Transfer-Encoding", "Content-Disposition", "Connection"} {
			if strings.Contains(got, field+":") {
				t.Errorf("%s: %s in\n%s", method, field, got)
			}
		}
	}
	if got := p.send(requestHead("GET", "/files/f.txt", "Connection: close")).rest(); !strings.HasSuffix(string(got.raw), "\r\n\r\ncontent") || len(got.statuses()) != 1 {
		t.Errorf("the request after it got %q", got.raw)
	}
}

// No answer tells of a change in the future (RFC 9110 section 8.8.2.1).
func TestFileFromTheFuture(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("f", "content")
	future := time.Now().Add(24 * time.Hour)
	if err := os.Chtimes(s.file("f"), future, future); err != nil {
		t.Fatal(err)
	}
	header := curlHead(t, s.fileURL("f")).want(t, 200).header
	modified, err := http.ParseTime(header.Get("Last-Modified"))
	date, dateErr := http.ParseTime(header.Get("Date"))
	// The server's Date is made once a second.
	if err := errors.Join(err, dateErr); err != nil || modified.After(date.Add(2*time.Second)) {
		t.Errorf("Last-Modified %s at %s (%v)", modified, date, err)
	}
}

// All lines of a field are one list (RFC 9110 section 5.2).
func TestConditionInSeveralLines(t *testing.T) {
	t.Parallel()
	s := start(t)
	tag := s.put("f", "content").header.Get("Etag")
	curl(t, "-H", `If-None-Match: "x"`, "-H", "If-None-Match: "+tag, s.fileURL("f")).want(t, 304)
	curl(t, "-H", `If-Match: "x"`, "-H", "If-Match: "+tag, s.fileURL("f")).want(t, 200)
	curl(t, "-H", "Range: bytes=0-0", "-H", "Range: bytes=1-1", s.fileURL("f")).want(t, 200)
}

// Who leaves in mid-download leaves nothing behind, HEAD reads nothing, and the
// first byte of a large file doesn't wait for the rest.
//
// https://github.com/gofiber/fiber/issues/4283
// https://github.com/patrickdappollonio/http-server/issues/134
func TestDownloadCostsNothingBeforeAndAfter(t *testing.T) {
	t.Parallel()
	const size, times = 4 * gib, 50
	s := startShipped(t)
	s.put("warm-up", "content")
	if err := errors.Join(os.WriteFile(s.file("large"), nil, 0o666), os.Truncate(s.file("large"), size)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server is at rest", s.atRest)
	goroutines, descriptors := s.goroutines(), s.descriptors()

	readBefore := s.readBytes()
	idle := dial(t, s)
	for range times {
		if got := idle.send(requestHead("HEAD", "/files/large")).head(); !strings.Contains(string(got.raw), fmt.Sprintf("Content-Length: %d\r\n", int64(size))) {
			t.Fatalf("HEAD got %q", got.raw)
		}
	}
	if got := s.descriptors(); got > descriptors+1 {
		t.Errorf("%d descriptors after HEAD on one connection, %d before", got, descriptors)
	}
	if got := s.readBytes() - readBefore; got > mib {
		t.Errorf("%d HEADs have read %d bytes", times, got)
	}
	idle.rst()

	for _, fields := range [][]string{nil, {"Accept-Encoding: gzip, br"}, {`If-None-Match: "x"`}, {"Range: bytes=0-"}, {"Range: bytes=0-99,1000-"}} {
		for range times / 5 {
			p := dial(t, s).send(requestHead("GET", "/files/large", fields...))
			p.head()
			if _, err := io.CopyN(io.Discard, p.conn, mib); err != nil {
				t.Fatal(err)
			}
			p.rst()
		}
	}
	s.ends("get", endings{aborted: times})
	eventually(t, "nothing is left of the downloads", func() bool {
		return s.descriptors() <= descriptors && s.goroutines() <= goroutines
	})
	s.staysBelow(sixteenTransfers)
}

// readBytes is how much the process has read so far, from whatever source.
func (s *server) readBytes() int64 {
	s.t.Helper()
	var n int64
	if _, err := fmt.Sscanf(string(read(s.t, fmt.Sprintf("/proc/%d/io", s.cmd.Process.Pid))), "rchar: %d", &n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// Range is defined for GET alone (RFC 9110 section 14.2), and what is stored is
// sent as it is.
func TestRangeOfHeadAndEncoding(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("ten", "0123456789")
	head := curlHead(t, "-H", "Range: bytes=0-4", s.fileURL("ten")).want(t, 200)
	if got := head.header.Get("Content-Length"); got != "10" {
		t.Errorf("HEAD: Content-Length %s, want 10", got)
	}
	a := curl(t, "-H", "Range: bytes=0-4", "-H", "Accept-Encoding: gzip, br", s.fileURL("ten")).want(t, 206)
	if encoding := a.header.Get("Content-Encoding"); encoding != "" || string(a.body) != "01234" {
		t.Errorf("body %q in encoding %q, want it as it is stored", a.body, encoding)
	}
}

func TestConditionalDownload(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("f", "content")
	head := curlHead(t, s.fileURL("f")).want(t, 200)
	tag, date := head.header.Get("Etag"), head.header.Get("Last-Modified")
	modified, err := http.ParseTime(date)
	if err != nil || !strings.HasPrefix(tag, `"`) {
		t.Fatalf("validators are %q and %q, want a strong tag and a date (%v)", tag, date, err)
	}
	earlier := modified.Add(-time.Hour).Format(http.TimeFormat)
	for _, test := range []struct {
		name   string
		fields []string
		status int
	}{
		{"none", nil, 200},
		{"If-None-Match of this version", []string{"If-None-Match: " + tag}, 304},
		{"If-None-Match, weak", []string{"If-None-Match: W/" + tag}, 304},
		{"If-None-Match in a list", []string{`If-None-Match: "x", ` + tag}, 304},
		{"If-None-Match of any", []string{"If-None-Match: *"}, 304},
		{"If-None-Match of another", []string{`If-None-Match: "x"`}, 200},
		{"If-Match of this version", []string{"If-Match: " + tag}, 200},
		{"If-Match of another", []string{`If-Match: "x"`}, 412},
		{"If-Match, weak", []string{"If-Match: W/" + tag}, 412},
		{"If-Modified-Since its time", []string{"If-Modified-Since: " + date}, 304},
		{"If-Modified-Since earlier", []string{"If-Modified-Since: " + earlier}, 200},
		{"If-Modified-Since nonsense", []string{"If-Modified-Since: yesterday"}, 200},
		{"If-Unmodified-Since its time", []string{"If-Unmodified-Since: " + date}, 200},
		{"If-Unmodified-Since earlier", []string{"If-Unmodified-Since: " + earlier}, 412},
		{"If-None-Match outweighs a date", []string{`If-None-Match: "x"`, "If-Modified-Since: " + date}, 200},
		{"If-Match outweighs a date", []string{"If-Match: " + tag, "If-Unmodified-Since: " + earlier}, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			args := []string{s.fileURL("f")}
			for _, field := range test.fields {
				args = append(args, "-H", field)
			}
			curlHead(t, args...).want(t, test.status)
			a := curl(t, args...).want(t, test.status)
			if test.status == 304 && (a.header.Get("Etag") != tag || len(a.body) > 0) {
				t.Errorf("304 with tag %q and %d bytes", a.header.Get("Etag"), len(a.body))
			}
		})
	}
}

// A resumed download never gets the end of one version behind the beginning of
// another.
//
// https://github.com/aio-libs/aiohttp/pull/13480
// https://github.com/rust-lang/rustup/issues/4710
func TestIfRange(t *testing.T) {
	t.Parallel()
	const size = mib
	older, newer := strings.Repeat("1", size), strings.Repeat("2", size)
	s := start(t)
	stale := s.put("f", older).header.Get("Etag")
	current := s.put("f", newer).header.Get("Etag")
	if stale == current {
		t.Fatalf("both versions have the tag %s", stale)
	}
	modified, err := http.ParseTime(curlHead(t, s.fileURL("f")).header.Get("Last-Modified"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, field string
		status      int
	}{
		{"current tag", current, 206},
		{"stale tag", stale, 200},
		{"weak tag", "W/" + current, 200},
		{"older date", modified.Add(-time.Hour).Format(http.TimeFormat), 200},
		{"its date", modified.Format(http.TimeFormat), 200},
		{"nonsense", "nonsense", 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := curl(t, "-H", "Range: bytes=5-", "-H", "If-Range: "+test.field, s.fileURL("f")).want(t, test.status)
			want := newer
			if test.status == 206 {
				want = newer[5:]
			}
			if string(a.body) != want {
				t.Errorf("%d bytes, want %d of the newer version", len(a.body), len(want))
			}
		})
	}
}

// A download is always the newest version, and the server keeps no old one
// open.
//
// https://github.com/kataras/iris/issues/382
// https://github.com/valyala/fasthttp/issues/936
func TestFreshAfterReplaceAndDelete(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, text := range []string{"version 1", "version 2, which is longer", "v3", strings.Repeat("version 4", mib)} {
		s.put("f", text)
		a := curl(t, s.fileURL("f")).want(t, 200)
		if string(a.body) != text || a.header.Get("Content-Length") != fmt.Sprint(len(text)) {
			t.Errorf("%d bytes, Content-Length %s; want the %d just stored", len(a.body), a.header.Get("Content-Length"), len(text))
		}
	}
	curl(t, "-X", "DELETE", s.fileURL("f")).want(t, 204)
	s.missing("f")
	s.put("f", "again")
	if a := curl(t, s.fileURL("f")).want(t, 200); string(a.body) != "again" {
		t.Errorf("body %q of what was stored again", a.body)
	}
	eventually(t, "no removed file is open", func() bool { return len(s.openRemoved()) == 0 })
}

// openRemoved lists files that the server holds open though they have no name.
func (s *server) openRemoved() []string {
	s.t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd/", s.cmd.Process.Pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	var removed []string
	for _, entry := range entries {
		target, err := os.Readlink(dir + entry.Name())
		if err == nil && strings.HasSuffix(target, " (deleted)") {
			removed = append(removed, target)
		}
	}
	return removed
}

// Who reads while a file is replaced gets one version or the other.
//
// https://github.com/filebrowser/filebrowser/issues/3538
func TestReadersSeeOneVersion(t *testing.T) {
	t.Parallel()
	const size = 3 * mib
	versions := [][]byte{bytes.Repeat([]byte("a"), size), bytes.Repeat([]byte("b"), size)}
	s := start(t)
	s.put("f", string(versions[0]))
	together(t, 2, func(who int) error {
		for i := range 15 {
			if who == 0 {
				data := versions[(i+1)%2]
				if _, err := runCurl(bytes.NewReader(data), "-T", "-", s.fileURL("f")); err != nil {
					return err
				}
				continue
			}
			a, err := runCurl(nil, s.fileURL("f"))
			if err != nil {
				return err
			}
			if !bytes.Equal(a.body, versions[0]) && !bytes.Equal(a.body, versions[1]) {
				return fmt.Errorf("read %d bytes that are neither version", len(a.body))
			}
		}
		return nil
	})
}

// Downloads leave nothing beside the files.
//
// https://github.com/gofiber/fiber/issues/706
// https://github.com/gofiber/fiber/issues/2940
func TestDownloadLeavesTheFolderAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	text := strings.Repeat("text ", 10_000)
	want := map[string]string{"a.txt": text, "a.txt.gz": "user's", "a.txt.fiber.gz": "user's", "a.txt.fasthttp.gz": "user's"}
	for name, content := range want {
		s.put(name, content)
	}
	if a := curl(t, "--compressed", s.fileURL("a.txt")).want(t, 200); string(a.body) != text {
		t.Errorf("%d bytes, want %d", len(a.body), len(text))
	}
	if got := s.stored(); len(got) != len(want) {
		t.Errorf("the folder holds %q", got)
	}
	for name, content := range want {
		if got := read(t, s.file(name)); string(got) != content {
			t.Errorf("%s has changed", name)
		}
	}
}
