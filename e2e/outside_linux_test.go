package e2e_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// outside is what stands beside the root, where nobody may get.
type outside struct {
	t    testing.TB
	dir  string // absolute; holds the server's root
	tree []string
}

// secret is what no answer may hold.
const secret = "the canary's song"

// guard puts a canary beside the server's root and remembers what is there.
func guard(t testing.TB, s *server) *outside {
	t.Helper()
	o := &outside{t: t, dir: filepath.Dir(s.root)}
	if err := os.WriteFile(o.canary(), []byte(secret), 0o666); err != nil {
		t.Fatal(err)
	}
	o.tree = o.list()
	return o
}

func (o *outside) canary() string { return filepath.Join(o.dir, "canary") }

// list names everything outside the root.
func (o *outside) list() []string {
	o.t.Helper()
	var found []string
	err := filepath.WalkDir(o.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		found = append(found, path)
		if entry.IsDir() && path == filepath.Join(o.dir, "root") {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return found
}

// check fails the test when anything outside the root has changed or has come
// out in an answer.
func (o *outside) check(what string, a answer) {
	o.t.Helper()
	if strings.Contains(string(a.body), secret) {
		o.t.Errorf("%s: the canary's content came out", what)
	}
	if got := read(o.t, o.canary()); string(got) != secret {
		o.t.Errorf("%s: the canary holds %q", what, got)
	}
	if got := o.list(); !slices.Equal(got, o.tree) {
		o.t.Errorf("%s: outside the root stand %q, want %q", what, got, o.tree)
	}
}

// No path leads out of the root.
//
// https://github.com/projectdiscovery/nuclei-templates/issues/8314
// https://github.com/golang/go/issues/45789
func TestTraversal(t *testing.T) {
	t.Parallel()
	s := start(t)
	o := guard(t, s)
	absolute := strings.ReplaceAll(o.canary(), "/", "%2f")
	for _, path := range []string{
		"../canary", "..%2fcanary", "%2e%2e%2fcanary", "%252e%252e%252fcanary", "..%5ccanary", absolute,
		"a/../../canary", ".%2e/canary", "..;/canary", "%c0%ae%c0%ae/canary", "a%00/../canary", "/" + o.canary(),
		"../../canary", "../root/../canary", "./../canary", ".sluice/uploads/x", ".SLUICE/x", ".sluice/../../canary",
	} {
		url := s.url("/files/" + path)
		for _, args := range [][]string{{url}, {"-X", "DELETE", url}} {
			a := curl(t, args...).want(t, 400, 404)
			o.check(strings.Join(args, " "), a)
		}
		a := curlWith(t, strings.NewReader("intruder"), "-T", "-", url).want(t, 201, 400, 404, 405)
		o.check("PUT "+path, a)
	}
	if _, err := os.Stat(s.file(".sluice/uploads/x")); err == nil {
		t.Error("a file was stored among the server's own")
	}
}

// The file names of forms and tus clients are names, whatever path they hold
// (RFC 7578 section 4.2).
//
// https://github.com/418sec/huntr/pull/614
func TestTraversalInFileNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	o := guard(t, s)
	for _, name := range []string{"../canary", `..\canary`, o.canary(), `C:\canary`, "a/../../canary"} {
		part := partHead(strings.ReplaceAll(name, `\`, `\\`)) + "x" + formTail
		a := curlWith(t, strings.NewReader(part), "--data-binary", "@-", "-H", formType, s.url("/files/")).want(t, 200, 201)
		o.check("form "+name, a)
		if status := s.tryTus(name); status != 201 {
			t.Errorf("tus %s: status %d, want 201", name, status)
		}
		o.check("tus "+name, a)
		if got := s.stored(); !slices.Equal(got, []string{"canary"}) {
			t.Errorf("%s: the root holds %q, want the last segment alone", name, got)
		}
		curl(t, "-X", "DELETE", s.url("/files/canary")).want(t, 204)
	}
}

// Links that lead out of the root, and what is no file, are neither read nor
// written, and nobody waits for them.
//
// https://github.com/drakkan/sftpgo/pull/2250
// https://github.com/hfiref0x/LightFTP/issues/72
// https://github.com/hfiref0x/LightFTP/issues/37
// https://github.com/sigoden/dufs/issues/518
func TestLinksAndFIFOs(t *testing.T) {
	t.Parallel()
	s := start(t)
	o := guard(t, s)
	for name, target := range map[string]string{
		"link": o.canary(), "relative": "../canary", "dirlink": o.dir, "dangling": filepath.Join(o.dir, "newfile"), "loop": "loop",
	} {
		if err := os.Symlink(target, s.file(name)); err != nil {
			t.Fatal(err)
		}
	}
	const zero = 1<<8 | 5 // the device behind /dev/zero
	socket, err := net.Listen("unix", s.file("socket"))
	if err := errors.Join(err, syscall.Mkfifo(s.file("pipe"), 0o666), syscall.Mknod(s.file("device"), syscall.S_IFCHR|0o666, zero)); err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := os.Mkdir(s.file("sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	s.put("good.txt", "good")

	get := []int{403, 404}
	for _, name := range []string{"link", "relative", "dirlink/canary", "dirlink/", "dangling", "loop", "pipe", "device", "socket"} {
		url := s.url("/files/" + name)
		o.check("GET "+name, curl(t, "--max-time", "10", url).want(t, get...))
		o.check("HEAD "+name, curlHead(t, "--max-time", "10", url).want(t, get...))
	}
	for _, folder := range []string{"", "dirlink/", "sub/"} {
		a := curl(t, "--max-time", "10", "-H", "Accept: text/html", s.url("/files/"+folder))
		o.check("list "+folder, a)
	}
	if links := s.links(); links["good.txt"] == "" {
		t.Errorf("the listing beside broken links holds %v", links)
	}

	put := func(name string) answer {
		return curlWith(t, strings.NewReader("intruder"), "--max-time", "10", "-T", "-", s.url("/files/"+name))
	}
	remove := func(name string) answer {
		return curl(t, "--max-time", "10", "-X", "DELETE", s.url("/files/"+name))
	}
	o.check("DELETE below a link", remove("dirlink/canary").want(t, 403, 404))
	for _, name := range []string{"link", "relative", "dangling", "loop", "pipe", "device", "socket"} {
		for way, send := range nameWays {
			a := send(s, name, name, "intruder")
			o.check(way+" "+name, a)
			if info, err := os.Lstat(s.file(name)); a.success() && (err != nil || !info.Mode().IsRegular()) {
				t.Errorf("%s %s: status %d, but what stands there is %v (%v)", way, name, a.status, info.Mode(), err)
			}
		}
		o.check("DELETE "+name, remove(name).want(t, 204))
	}
	o.check("PUT below a link", put("dirlink/intruder").want(t, 400, 403, 404, 409))
	for _, send := range nameWays {
		send(s, "sub", "sub", "x").want(t, 409)
	}
	remove("sub").want(t, 204)
	o.check("DELETE of a link", remove("dirlink").want(t, 204))
}

// A link is removed as itself, and what it leads to stays. What the server
// doesn't serve, it doesn't remove.
//
// https://github.com/sigoden/dufs/issues/518
func TestDeleteOfLinksAndFIFOs(t *testing.T) {
	t.Parallel()
	s := start(t)
	o := guard(t, s)
	for name, target := range map[string]string{"link": o.canary(), "dirlink": o.dir, "dangling": filepath.Join(o.dir, "newfile")} {
		if err := os.Symlink(target, s.file(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(s.file("pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, status := range map[string]int{"link": 204, "dirlink": 204, "dangling": 204, "pipe": 404} {
		o.check("DELETE "+name, curl(t, "--max-time", "10", "-X", "DELETE", s.url("/files/"+name)).want(t, status))
	}
	if got := s.stored(); !slices.Equal(got, []string{"pipe"}) {
		t.Errorf("the disk holds %q, want the pipe alone", got)
	}
}
