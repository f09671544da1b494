package e2e_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// archived is a tree as it stands in archives: the content of files, and
// folders with a slash at the end.
var archived = map[string]string{
	"my folder/":                      "",
	"my folder/a.txt":                 "content of a",
	"my folder/empty/":                "",
	"my folder/deep/":                 "",
	"my folder/deep/er/":              "",
	"my folder/deep/er/한글 \u202e.pdf": "content",
	"my folder/no bytes":              "",
	"my folder/100% #1?.txt":          strings.Repeat("x", 100_000),
}

// plant makes the tree on the disk, with much beside it that no archive holds.
func plant(t *testing.T, s *server) {
	t.Helper()
	for name, text := range archived {
		path := s.file(name)
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if strings.HasSuffix(name, "/") {
			err = errors.Join(err, os.MkdirAll(path, 0o777))
		} else {
			err = errors.Join(err, os.WriteFile(path, []byte(text), 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"good": "a.txt", "folder": "deep", "broken": "none", "up": "..", "out": "/etc/passwd"} {
		if err := os.Symlink(target, s.file("my folder/"+link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(s.file("my folder/fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// unzip reads an archive with a tool that is not of this project, and then
// every byte of it.
func unzip(t *testing.T, data []byte) map[string]string {
	t.Helper()
	if out, err := toolCommand(t, "unzip", "-tq", write(t, "a.zip", data)).CombinedOutput(); err != nil {
		t.Errorf("unzip: %v\n%s", err, out)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		found[f.Name] = string(text)
	}
	return found
}

// untar is unzip for a tar.
func untar(t *testing.T, data []byte) map[string]string {
	t.Helper()
	if out, err := toolCommand(t, "tar", "-tf", write(t, "a.tar", data)).CombinedOutput(); err != nil {
		t.Errorf("tar: %v\n%s", err, out)
	}
	found := make(map[string]string)
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		head, err := r.Next()
		if err == io.EOF {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		found[head.Name] = string(text)
	}
}

// A folder is had as an archive that holds all of it, and nothing else.
func TestArchive(t *testing.T) {
	t.Parallel()
	s := start(t)
	plant(t, s)
	s.put("beside.txt", "not in it")
	for _, test := range []struct {
		kind, mediaType string
		read            func(t *testing.T, data []byte) map[string]string
	}{
		{"zip", "application/zip", unzip},
		{"tar", "application/x-tar", untar},
	} {
		t.Run(test.kind, func(t *testing.T) {
			s := s.in(t)
			url := s.fileURL("my folder/") + "?archive=" + test.kind
			before := s.scrape().endings("archive")
			a := curl(t, url).want(t, 200)
			if got := test.read(t, a.body); !maps.Equal(got, archived) {
				t.Errorf("the archive holds %q", slices.Sorted(maps.Keys(got)))
			}
			want := `attachment; filename="my folder.` + test.kind + `"; filename*=UTF-8''my%20folder.` + test.kind
			for _, a := range []answer{a, curlHead(t, url).want(t, 200)} {
				if got := a.header.Get("Content-Disposition"); got != want {
					t.Errorf("Content-Disposition %s, want %s", got, want)
				}
				if got := a.header.Get("Content-Type"); got != test.mediaType {
					t.Errorf("Content-Type %s, want %s", got, test.mediaType)
				}
				checkSandbox(t, url, a.header)
			}
			before.ok++
			s.ends("archive", before)

			root := test.read(t, curl(t, s.url("/files/?archive="+test.kind)).want(t, 200).body)
			if root["files/beside.txt"] != "not in it" || root["files/my folder/a.txt"] == "" || len(root) != len(archived)+2 {
				t.Errorf("the root's archive holds %q", slices.Sorted(maps.Keys(root)))
			}
		})
	}
}

// What can't be answered by an archive is refused before a byte of it is sent.
func TestArchiveRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("folder/f", "content")
	for _, query := range []string{"archive=", "archive=rar", "archive=ZIP", "archive"} {
		curl(t, s.url("/files/folder/?"+query)).wantProblem(t, 400)
	}
	curl(t, s.url("/files/none/?archive=zip")).wantProblem(t, 404)
	curl(t, s.url("/files/.sluice/?archive=zip")).wantProblem(t, 400)
	// Chunks alone tell where an archive ends, and HTTP/1.0 has none.
	curl(t, "--http1.0", s.url("/files/folder/?archive=zip")).wantProblem(t, 505)
	a := curl(t, s.url("/files/folder?archive=zip")).want(t, 301)
	if got := a.header.Get("Location"); got != "/files/folder/?archive=zip" {
		t.Errorf("a folder without its slash leads to %q", got)
	}
	// A file is a file, whatever the query says.
	if a := curl(t, s.url("/files/folder/f?archive=zip")).want(t, 200); string(a.body) != "content" {
		t.Errorf("body %q, want the file's", a.body)
	}
}

// archiveCut asks for an archive and, once a part of it has come, does what
// breaks it. It returns how curl ended.
func archiveCut(t *testing.T, s *server, kind string, breakIt func()) (code int) {
	t.Helper()
	cmd, err := curlCommand("--limit-rate", "40M", s.url("/files/folder/?archive="+kind))
	if err != nil {
		t.Fatal(err)
	}
	body, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, body, mib); err != nil {
		t.Error(err)
	}
	breakIt()
	if _, err := io.Copy(io.Discard, body); err != nil {
		t.Error(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// An archive that went wrong on the way is no whole answer.
func TestArchiveThatBreaksIsSeenToBeBroken(t *testing.T) {
	t.Parallel()
	const size = 64 * mib
	path := content(t, size)
	for _, test := range []struct {
		name    string
		cached  bool // the file is in the page cache, from where it is sent in another way
		breakIt func(path string) error
	}{
		{"shrinks", false, func(path string) error { return os.Truncate(path, 5*mib) }},
		{"shrinks in the page cache", true, func(path string) error { return os.Truncate(path, 5*mib) }},
		{"grows", false, func(path string) error { return os.Truncate(path, size+1) }},
		{"is overwritten", true, func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("changed"), size-10)
			return errors.Join(err, f.Close())
		}},
	} {
		for _, kind := range []string{"zip", "tar"} {
			t.Run(test.name+" in "+kind, func(t *testing.T) {
				t.Parallel()
				s := start(t)
				curl(t, "-T", path, s.fileURL("folder/large")).want(t, 201)
				if test.cached {
					sameFile(t, s.file("folder/large"), path)
				}
				code := archiveCut(t, s, kind, func() {
					if err := test.breakIt(s.file("folder/large")); err != nil {
						t.Error(err)
					}
				})
				if code == 0 {
					t.Error("curl takes the archive for a whole one")
				}
				eventually(t, "the server is at rest", s.atRest)
				if ended := s.scrape().endings("archive"); ended.total() != 1 || ended.ok != 0 {
					t.Errorf("archives ended: %s; want one, not ok", ended)
				}
			})
		}
	}
}

// A file that is replaced meanwhile is archived as it was, one that is removed
// too: the archive is of one version of each file.
func TestArchiveOfReplacedFiles(t *testing.T) {
	t.Parallel()
	path := content(t, 64*mib)
	s := start(t)
	curl(t, "-T", path, s.fileURL("folder/large")).want(t, 201)
	for name, breakIt := range map[string]func(){
		"replaced": func() { s.put("folder/large", "newer") },
		"removed":  func() { curl(t, "-X", "DELETE", s.fileURL("folder/large")).want(t, 204) },
	} {
		curl(t, "-T", path, s.fileURL("folder/large")).want(t, 200, 201)
		if code := archiveCut(t, s, "zip", breakIt); code != 0 {
			t.Errorf("%s: curl ends with code %d", name, code)
		}
	}
}

// An archive is a transfer like others: it takes a place in the crowd, ends
// when its client goes or the server stops, and leaves nothing.
func TestArchiveIsATransfer(t *testing.T) {
	t.Parallel()
	s := start(t, "--max-transfers", "1", "--shutdown-grace", "100ms")
	curl(t, "-T", content(t, 64*mib), s.fileURL("folder/large")).want(t, 201)
	eventually(t, "the server is at rest", s.atRest)
	goroutines, descriptors := s.goroutines(), s.descriptors()
	request := requestHead("GET", "/files/folder/?archive=tar")

	p := dial(t, s).send(request)
	p.head()
	curl(t, s.url("/files/folder/?archive=zip")).crowdedOut(t)
	curl(t, s.fileURL("folder/large")).crowdedOut(t)
	p.rst()
	s.ends("archive", endings{aborted: 1})
	eventually(t, "nothing is left of the archive", func() bool {
		return s.descriptors() <= descriptors && s.goroutines() <= goroutines
	})

	p = dial(t, s).send(request)
	p.head()
	s.terminate()
	// Nothing is read until the server has given up, or it might be done before.
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if reply := p.rest(); strings.HasSuffix(string(reply.raw), "\r\n0\r\n\r\n") {
		t.Error("an archive that was cut off ends like a whole one")
	}
}

// Archives take no memory for what they hold.
func TestArchiveInLittleMemory(t *testing.T) {
	t.Parallel()
	const size, files = 256 * mib, 500
	s := startShipped(t)
	s.put("folder/first", "content")
	if err := os.WriteFile(s.file("folder/large"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(s.file("folder/large"), size); err != nil {
		t.Fatal(err)
	}
	for i := range files {
		if err := os.WriteFile(s.file("folder/"+slowName(i)), []byte("small"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []string{"zip", "tar"} {
		out, err := curlCommand("--fail", "--output", os.DevNull, "--write-out", "%{size_download}", s.url("/files/folder/?archive="+kind))
		if err != nil {
			t.Fatal(err)
		}
		text, err := out.Output()
		if n, parseErr := strconv.Atoi(string(text)); err != nil || parseErr != nil || n < size {
			t.Errorf("%s: %q bytes came, %v", kind, text, err)
		}
	}
	s.staysBelow(oneTransfer)
}
