package e2e_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
		"links":         pageLinks,
		"share":         pageShare,
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
