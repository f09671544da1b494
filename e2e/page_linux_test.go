package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	raster "image"
	"image/color"
	"image/png"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// pageFull is a variable of the environment: when it is set, what is dropped on
// the page is as large as it has to bear.
const pageFull = "PAGE_FULL"

func full() bool { return os.Getenv(pageFull) != "" }

// slowUploads is the rate of uploads that something is to happen to.
const slowUploads = "8MiB"

// TestPage uses the page as people do, in one Chromium.
func TestPage(t *testing.T) {
	t.Parallel()
	st := openTheatre(t)
	for name, test := range map[string]func(t *testing.T, st *theatre){
		"files":         pageFiles,
		"folder":        pageFolder,
		"pause":         pagePause,
		"cancel":        pageCancel,
		"restart":       pageRestart,
		"network":       pageNetwork,
		"reload":        pageReload,
		"refusals":      pageRefusals,
		"disk full":     pageDiskFull,
		"conflicts":     pageConflicts,
		"forms":         pageForms,
		"thousands":     pageThousands,
		"manage":        pageManage,
		"transfers":     pageTransfers,
		"login":         pageLogin,
		"hostile names": pageHostileNames,
		"stored":        pageStoredScripts,
		"foreign":       pageForeign,
		"accessible":    pageAccessible,
		"looks":         pageLooks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, st)
		})
	}
}

func (s *server) page() string { return s.url("/") }

// called makes a file of the content under a name of its own.
func called(t testing.TB, name string, size int64) string {
	t.Helper()
	path := filepath.Join(folder(t), name)
	if err := os.Link(content(t, size), path); err != nil {
		t.Fatal(err)
	}
	return path
}

func pageFiles(t *testing.T, st *theatre) {
	sizes := []int64{200 * mib, 60 * mib, 40*mib + 1}
	if full() {
		sizes[0] = 3 * gib
	}
	var paths, names []string
	for i, size := range sizes {
		names = append(names, fmt.Sprintf("из браузера %d.bin", i))
		paths = append(paths, called(t, names[i], size))
	}
	s := startShipped(t)
	st.play(t, "dropFiles", s.page(), props{"paths": paths, "names": names}, nil)
	for i := range paths {
		sameFile(t, s.file(names[i]), paths[i])
	}
	s.staysBelow(200 * mib)
}

// tree is what stands below a folder: the contents of files, and folders with a
// slash behind them.
func tree(t testing.TB, top string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			found[name+"/"] = ""
			return nil
		}
		found[name] = string(read(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func sameTree(t testing.TB, got, want string) {
	t.Helper()
	a, b := tree(t, got), tree(t, want)
	for name, content := range b {
		if have, ok := a[name]; !ok || have != content {
			t.Errorf("%s is there: %t, with %d bytes, want %d", name, ok, len(have), len(content))
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d files and folders, want %d", len(a), len(b))
	}
}

func makeTree(t testing.TB, top string, files map[string]string, empty ...string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(top, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range empty {
		if err := os.MkdirAll(filepath.Join(top, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

// Files of equal names in different folders, empty files and empty folders all
// arrive where they belong.
func pageFolder(t *testing.T, st *theatre) {
	const dropped = 250
	top := filepath.Join(folder(t), "Ordner & mehr")
	files := make(map[string]string)
	for i := range dropped {
		// Names that differ in case alone are others, and so are equal ones elsewhere.
		name := fmt.Sprintf("%d/sub %d/%s.txt", i%5, i/5%5, []string{"same", "Same", "SAME", "a+b", "100%", "ü", "#1", "?", "a;b", "'"}[i/25])
		files[name] = strings.Repeat(name, i%7)
	}
	makeTree(t, top, files, "empty", "empty too/far/below", "0/none")
	s := start(t)
	st.play(t, "dropFolder", s.page(), props{"paths": []string{top}, "files": len(files), "folder": filepath.Base(top)}, nil)
	sameTree(t, s.file(filepath.Base(top)), top)
}

func pagePause(t *testing.T, st *theatre) {
	path := called(t, "paused.bin", 24*mib)
	s := start(t, "--upload-rate", slowUploads)
	st.play(t, "pauseAndResume", s.page(), props{"paths": []string{path}, "name": "paused.bin"}, cues{"still": func(string) {
		eventually(t, "the server has nothing to do", func() bool { return len(s.running()) == 0 })
	}})
	sameFile(t, s.file("paused.bin"), path)
}

// running are the ids of the transfers that run.
func (s *server) running() []string {
	s.t.Helper()
	var list struct{ Running []struct{ ID string } }
	curl(s.t, s.url("/api/v1/transfers")).want(s.t, 200).decode(s.t, &list)
	ids := make([]string, len(list.Running))
	for i, one := range list.Running {
		ids[i] = one.ID
	}
	return ids
}

// uploadsLeft counts the files of the server's own folder for uploads.
func (s *server) uploadsLeft() int {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.root, ".sluice", "uploads"))
	if err != nil {
		s.t.Fatal(err)
	}
	return len(entries)
}

func pageCancel(t *testing.T, st *theatre) {
	path := called(t, "unwanted.bin", 24*mib)
	s := start(t, "--upload-rate", slowUploads)
	st.play(t, "cancel", s.page(), props{"paths": []string{path}, "name": "unwanted.bin"}, cues{"gone": func(string) {
		eventually(t, "the upload is gone", func() bool { return s.uploadsLeft() == 0 })
	}})
	s.missing("unwanted.bin")
}

func pageRestart(t *testing.T, st *theatre) {
	path := called(t, "outlives.bin", 24*mib)
	root, addr := newRoot(t), fixedAddr(t)
	s := startIn(t, root, "--listen", addr, "--upload-rate", slowUploads)
	st.play(t, "outlive", s.page(), props{"paths": []string{path}, "name": "outlives.bin", "shot": "server-lost"}, cues{
		"break": func(string) { s.kill() },
		"mend":  func(string) { s = startIn(t, root, "--listen", addr) },
	})
	sameFile(t, s.file("outlives.bin"), path)
}

func pageNetwork(t *testing.T, st *theatre) {
	path := called(t, "cut.bin", 24*mib)
	s := start(t, "--upload-rate", slowUploads)
	n := badNetwork(t, s.addr)
	st.play(t, "outlive", "http://"+n.proxy.Listen+"/", props{"paths": []string{path}, "name": "cut.bin", "shot": "network-lost"}, cues{
		"break": func(string) { n.add("reset_peer", `"timeout": 0`) },
		"mend":  func(string) { n.remove("reset_peer") },
	})
	sameFile(t, s.file("cut.bin"), path)
}

func pageReload(t *testing.T, st *theatre) {
	path := called(t, "goes on.bin", 24*mib)
	s := start(t, "--upload-rate", slowUploads)
	s.put("other/file", "x")
	st.play(t, "reload", s.page(), props{"paths": []string{path}, "name": "goes on.bin"}, cues{"count": func(string) {
		if left := s.uploadsLeft(); left == 0 {
			t.Error("nothing is left of the upload")
		}
	}})
	sameFile(t, s.file("goes on.bin"), path)
	if got := s.stored(); len(got) != 2 {
		t.Errorf("the disk holds %q, want the file and the folder", got)
	}
	if moved := s.countedBytes("tus"); moved >= 2*24*mib-4_000_000 {
		t.Errorf("%d bytes have come, so the upload has begun anew", moved)
	}
}

func pageRefusals(t *testing.T, st *theatre) {
	path := called(t, "large.bin", 2_000_000)
	s := start(t, "--max-upload-size", "1MB")
	st.play(t, "tooLarge", s.page(), props{"paths": []string{path}, "name": "large.bin"}, nil)
	if got := s.stored(); len(got) != 0 {
		t.Errorf("the disk holds %q", got)
	}
}

func pageDiskFull(t *testing.T, st *theatre) {
	path := called(t, "fits later.bin", 2_000_000)
	s := start(t, "--quota", "3MB")
	s.put("in the way", strings.Repeat("x", 2_000_000))
	st.play(t, "diskFull", s.page(), props{"paths": []string{path}, "name": "fits later.bin"}, cues{"room": func(string) {
		curl(t, "-X", "DELETE", s.fileURL("in the way")).want(t, 204)
	}})
	sameFile(t, s.file("fits later.bin"), path)
}

func pageConflicts(t *testing.T, st *theatre) {
	path := called(t, "there.bin", 5000)
	args := props{"paths": []string{path}, "name": "there.bin", "beside": "there (1).bin"}
	s := start(t)
	s.put("there.bin", "old")
	st.play(t, "conflicts", s.page(), args, nil)
	sameFile(t, s.file("there.bin"), path)
	sameFile(t, s.file("there (1).bin"), path)

	keeps := start(t, "--on-conflict", "reject")
	st.play(t, "rejected", keeps.page(), args, cues{"put": func(string) { keeps.put("there.bin", "old") }})
	sameFile(t, keeps.file("there (1).bin"), path)
	if got := string(read(t, keeps.file("there.bin"))); got != "old" {
		t.Errorf("the file that was there holds %q", got)
	}
}

func pageForms(t *testing.T, st *theatre) {
	path := called(t, "form.bin", 3*mib)
	s := start(t)
	st.play(t, "forms", s.page(), props{"paths": []string{path}, "name": "form.bin"}, nil)
	sameFile(t, s.file("form.bin"), path)
	st.play(t, "paste", s.page(), props{"name": "pasted.txt", "text": "from the clipboard"}, nil)
	if got := string(read(t, s.file("pasted.txt"))); got != "from the clipboard" {
		t.Errorf("pasted was %q", got)
	}
}

func pageThousands(t *testing.T, st *theatre) {
	n := 1000
	if full() {
		n = 10_000
	}
	top := filepath.Join(folder(t), "many")
	files := make(map[string]string, n)
	for i := range n {
		files[fmt.Sprintf("%02d/%d", i%20, i)] = strconv.Itoa(i)
	}
	makeTree(t, top, files)
	s := startShipped(t)
	st.play(t, "thousands", s.page(), props{"paths": []string{top}, "files": n}, nil)
	sameTree(t, s.file("many"), top)
}

// picture is a small image.
func picture(t testing.TB) string {
	t.Helper()
	drawn := raster.NewRGBA(raster.Rect(0, 0, 320, 200))
	for i := range 320 {
		for j := range 200 {
			drawn.Set(i, j, color.RGBA{uint8(i), uint8(j), 160, 255})
		}
	}
	var data bytes.Buffer
	if err := png.Encode(&data, drawn); err != nil {
		t.Fatal(err)
	}
	return data.String()
}

func pageManage(t *testing.T, st *theatre) {
	s := start(t)
	for name, text := range map[string]string{
		"b.txt": "b", "c.txt": "c", "9.log": "nine nine nine", "10.log": "ten", "folder/deep/in.txt": "hello", "picture.png": picture(t), "small": strings.Repeat("x", 9000),
	} {
		s.put(name, text)
	}
	sum := sha256.Sum256([]byte("nine nine nine"))
	st.play(t, "manage", s.page(), props{"digest": hex.EncodeToString(sum[:])}, nil)
	if got := string(read(t, s.file("new/moved.txt"))); got != "b" {
		t.Errorf("what was renamed twice holds %q", got)
	}
	st.play(t, "previews", s.page(), nil, nil)
}

func pageTransfers(t *testing.T, st *theatre) {
	path := called(t, "slow.bin", 200*mib)
	s := start(t, "--upload-rate", "2MiB")
	var sent chan struct{}
	st.play(t, "watchTransfers", s.page(), nil, cues{"send": func(string) {
		sent = make(chan struct{})
		cmd, err := curlCommand("-T", path, s.fileURL("slow.bin"))
		if err != nil {
			t.Error(err)
		}
		go func() {
			defer close(sent)
			_ = cmd.Run() // it is stopped
		}()
	}})
	<-sent
	s.missing("slow.bin")
}

func pageLogin(t *testing.T, st *theatre) {
	keys := newKeyring(t)
	token := keys.add("alice", "read,write,list")
	s := start(t, "--token-file", keys.path)
	for _, name := range []string{"seen.txt", "deep/in.txt"} {
		s.putAs(bearer(token), name, "content")
	}
	st.play(t, "logIn", s.page(), props{"token": token}, nil)
	st.play(t, "accessibleLogin", s.page(), nil, nil)
}

func pageHostileNames(t *testing.T, st *theatre) {
	names := []string{
		`<img src=x onerror=alert(1)>.txt`, `"><svg onload=alert(2)>`, `' onmouseover='alert(3)`, `javascript:alert(4)`, `{{7*7}}${alert(5)}`, `<b>bold</b`, "\u202etxt.exe",
	}
	top := folder(t)
	var paths []string
	for _, name := range names {
		path := filepath.Join(top, strings.ReplaceAll(name, "/", "∕"))
		if err := os.WriteFile(path, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	var shown []string
	for _, name := range names {
		shown = append(shown, strings.ReplaceAll(name, "\u202e", "\ufffd"))
	}
	s := start(t)
	s.put("<script>alert(1)</script>/in.txt", "content")
	st.play(t, "hostileNames", s.page(), props{"paths": paths, "names": names, "shown": shown, "missing": []string{
		"files/%3Cscript%3Ealert(1)%3C%2Fscript%3E/none", "%3Cimg%20src=x%20onerror=alert(1)%3E", "files/%22%3E%3Csvg%20onload=alert(1)%3E/",
	}}, nil)
}

// https://github.com/appwrite/appwrite/pull/13404
// https://github.com/shish/shimmie2/issues/631
func pageStoredScripts(t *testing.T, st *theatre) {
	const run = `<script>window.harm = 1; alert(1)</script>`
	stored := map[string]string{
		"x.html": "<!doctype html>" + run, "x.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml"><body>` + run + `</body></html>`,
		"x.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">` + run + `</svg>`,
		"x.xml": `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="x.xsl"?><a>` + run + `</a>`,
		"x.js":  "window.harm = 1; alert(1)", "x": "<html>" + run, "x.png": "<html>" + run, "x.txt": "<html>" + run, "x.md": run,
	}
	s := start(t)
	var names []string
	for name, text := range stored {
		s.put(name, text)
		names = append(names, name)
	}
	st.play(t, "storedScripts", s.page(), props{"names": names}, nil)
}

// A page on another port of the same machine is somebody else's.
//
// https://github.com/bacnh85/pi-extensions/issues/7
func pageForeign(t *testing.T, st *theatre) {
	s := start(t)
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<!doctype html><form method="post" enctype="multipart/form-data" action="%s">
			<textarea name="file">content</textarea><button>Win a prize</button></form>
			<script>
				const files = new DataTransfer()
				files.items.add(new File(["content"], "evil.txt"))
				const input = Object.assign(document.createElement("input"), {type: "file", name: "file", hidden: true})
				input.files = files.files
				document.forms[0].append(input)
			</script>`, html.EscapeString(s.url("/files/")))
	}))
	t.Cleanup(foreign.Close)
	st.play(t, "foreignForm", s.page(), props{"page": foreign.URL}, nil)
	if got := s.stored(); len(got) != 0 {
		t.Errorf("the disk holds %q", got)
	}

	// One that may uses all of tus.
	path := called(t, "allowed.bin", 3*mib)
	pages := httptest.NewServer(http.StripPrefix("/clients/", http.FileServer(http.Dir("clients"))))
	t.Cleanup(pages.Close)
	allows := start(t, "--cors-origins", pages.URL)
	st.play(t, "foreignTus", allows.page(), props{"page": pages.URL + "/clients/page.html", "paths": []string{path}, "name": "allowed.bin"}, nil)
	sameFile(t, allows.file("allowed.bin"), path)
}

func pageAccessible(t *testing.T, st *theatre) {
	s := start(t, "--max-upload-size", "1MB")
	s.put("9.log", "nine")
	s.put("folder/in.txt", "in")
	paths := []string{called(t, "small.bin", 5000), called(t, "large.bin", 2_000_000)}
	st.play(t, "accessible", s.page(), props{"paths": paths, "name": "small.bin", "refused": "large.bin"}, nil)
}

func pageLooks(t *testing.T, st *theatre) {
	s := start(t)
	s.put("9.log", "nine")
	s.put("folder/in.txt", "in")
	s.put(strings.Repeat("a long name without a place to break it ", 3)+".txt", "long")
	s.put(strings.Repeat("x", 120)+".txt", "longer")
	path := called(t, "chosen.bin", 5000)
	args := props{"paths": []string{path}, "name": "chosen.bin"}
	st.play(t, "dark", s.page(), args, nil)
	st.play(t, "phone", s.page(), args, nil)
	curl(t, "-X", "DELETE", s.fileURL("chosen.bin")).want(t, 204)
	st.play(t, "keyboard", s.page(), args, nil)
	s.missing("chosen.bin")
	st.play(t, "withoutScripts", s.page(), args, nil)
	sameFile(t, s.file("chosen.bin"), path)
}
