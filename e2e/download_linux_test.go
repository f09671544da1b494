package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
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
		{"several ranges", "ten", "bytes=0-1,8-9", 200, "", whole},
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
