package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

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
