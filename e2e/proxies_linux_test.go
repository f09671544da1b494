package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
)

// proxied is how much a process may grow while files pass through it that are
// larger.
const proxied = 32 * mib

// Behind each proxy as its example sets it up, files go in by each way and come
// back, in HTTP/1.1 and HTTP/2, and neither process holds them; refusals can be
// read by clients that have begun to send.
func TestBehindProxies(t *testing.T) {
	size := int64(64*mib + 1)
	if os.Getenv("PROXIES_FULL") != "" {
		size = 4*gib + 1
	}
	path := content(t, size)
	for _, kind := range proxyKinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			s := startShipped(t, "--trusted-proxies", "127.0.0.1", "--allowed-hosts", proxyHost, "--absolute-urls",
				"--max-upload-size", strconv.FormatInt(size/2*3, 10), "--quota", strconv.FormatInt(size/4*9, 10))
			p := s.behind(kind)
			checkRedirect(t, p)
			for _, version := range []string{"--http1.1", "--http2"} {
				t.Run(version, func(t *testing.T) {
					through(s.in(t), p, path, size, version)
				})
			}
		})
	}
}

// checkRedirect fails the test unless the proxy leads to TLS, with method and
// body kept.
func checkRedirect(t *testing.T, p *proxy) {
	t.Helper()
	a := curl(t, "--connect-to", "::"+p.plain, "-T", "/dev/null", "http://"+proxyHost+"/files/a%20b").want(t, 308)
	if got := a.header.Get("Location"); got != p.fileURL("a%20b") {
		t.Errorf("Location %q", got)
	}
}

// through moves a file through the proxy in all ways in one version of HTTP.
func through(s *server, p *proxy, path string, size int64, version string) {
	t := s.t
	run := func(args ...string) answer {
		t.Helper()
		return curl(t, append(append(args, version), p.curl...)...)
	}
	const name = "content.bin"
	url := p.fileURL(name)
	run("-T", write(t, "small", []byte("small")), url).want(t, 200, 201)
	before := [2]int64{s.peakMemory(), p.peakMemory()}

	arrived := func() {
		t.Helper()
		sameFile(t, s.file(name), path)
		run("-X", "DELETE", url).want(t, 204)
	}
	run("-T", path, url).want(t, 200)
	arrived()
	run("-X", "PUT", "-H", chunked, "-T", path, url).want(t, 201)
	arrived()
	run("-F", "file=@"+path+";filename="+name, p.fileURL("")).want(t, 201, 200)
	arrived()
	made := run("-X", "POST", "-H", tusVersion, "-H", tusName(name), "-H", fmt.Sprintf("Upload-Length: %d", size), "https://"+proxyHost+"/tus/").want(t, 201)
	upload := made.header.Get("Location")
	if !strings.HasPrefix(upload, "https://"+proxyHost+"/tus/") {
		t.Errorf("Location of tus is %q", upload)
	}
	run("-X", "PATCH", "-H", tusVersion, "-H", tusType, "-H", "Upload-Offset: 0", "-T", path, upload).want(t, 204)
	sameFile(t, s.file(name), path)

	args := append([]string{version}, p.curl...)
	if err := download(url, path, args...); err != nil {
		t.Error(err)
	}
	ranges := run("-r", strconv.FormatInt(size-5, 10)+"-", url).want(t, 206)
	if got, want := ranges.header.Get("Content-Range"), fmt.Sprintf("bytes %d-%d/%d", size-5, size-1, size); got != want || len(ranges.body) != 5 {
		t.Errorf("Content-Range %q with %d bytes, want %q", got, len(ranges.body), want)
	}
	run("-H", "If-None-Match: "+ranges.header.Get("ETag"), url).want(t, 304)
	for _, compressed := range []string{"small.txt", "small.json"} { // what proxies like to compress
		run("-T", write(t, "text", []byte(strings.Repeat("a text\n", kib))), p.fileURL(compressed)).want(t, 201, 200)
		a := run("-H", "Accept-Encoding: gzip, br, zstd", p.fileURL(compressed)).want(t, 200)
		if got := a.header.Get("Content-Encoding"); got != "" || a.header.Get("Repr-Digest") == "" {
			t.Errorf("Content-Encoding %q, Repr-Digest %q", got, a.header.Get("Repr-Digest"))
		}
	}
	streams(s, p, version)
	refusals(s, p, size, version)
	for i, process := range []process{s.process, p.process} {
		grown := process.peakMemory() - before[i]
		t.Logf("%s grew by %.1f MiB to %.1f MiB", []string{"sluice", "the proxy"}[i], float64(grown)/mib, float64(process.peakMemory())/mib)
		if grown > proxied {
			t.Errorf("process %d has grown by %d bytes, want at most %d", i, grown, proxied)
		}
	}
}

// streams fails the test unless the server sees what a client has sent while the
// client has more to send.
func streams(s *server, p *proxy, version string) {
	s.t.Helper()
	before := s.countedBytes("put")
	body, more := io.Pipe()
	request, err := http.NewRequest("PUT", p.fileURL("streamed"), body)
	if err != nil {
		s.t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		response, err := p.client(version == "--http2").Do(request)
		if err == nil {
			err = response.Body.Close()
		}
		answered <- err
	}()
	_, _ = more.Write(make([]byte, mib))
	eventually(s.t, "what was sent arrives", func() bool { return s.countedBytes("put") == before+mib })
	_, _ = more.Write(make([]byte, mib))
	_ = more.Close()
	if err := <-answered; err != nil {
		s.t.Error(err)
	}
	eventually(s.t, "the rest arrives", func() bool { return s.countedBytes("put") == before+2*mib })
}

// refusals sends what there is no room for beside what is stored, and what is too
// large, by clients that wait for an answer first and by such that don't.
func refusals(s *server, p *proxy, stored int64, version string) {
	t := s.t
	allRefuse(s, p, 507, stored/5*7, version)
	curl(t, append([]string{version, "-X", "DELETE", p.fileURL("content.bin")}, p.curl...)...).want(t, 204)
	allRefuse(s, p, 413, stored/5*8, version)
	s.missing("refused")
}

// allRefuse sends a file of size bytes by all ways and wants the status.
func allRefuse(s *server, p *proxy, status int, size int64, version string) {
	t := s.t
	path := write(t, "sparse", nil)
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-T", path, p.fileURL("refused")},
		{"-T", path, "-H", "Expect:", p.fileURL("refused")},
		{"-T", path, "-X", "PUT", "-H", chunked, "-H", "Expect:", p.fileURL("refused")},
		{"-F", "file=@" + path + ";filename=refused", "-H", "Expect:", p.fileURL("")},
	} {
		curl(t, append(append(args, version), p.curl...)...).wantProblem(t, status)
	}
	for _, length := range []int64{size, -1} {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequest("PUT", p.fileURL("refused"), file)
		if err != nil {
			t.Fatal(err)
		}
		request.ContentLength = length
		response, err := p.client(version == "--http2").Do(request)
		if err != nil {
			t.Errorf("Go's client: %v", err)
			continue
		}
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != status || !strings.Contains(string(text), "detail") {
			t.Errorf("Go's client got status %d and %q, %v, want %d", response.StatusCode, text, err, status)
		}
		_ = response.Body.Close()
	}
}
