package e2e_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Empty folders are made, with those above them, and only where nothing stands.
func TestMakeFolder(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.put("file", "content")
	make := func(path string, args ...string) answer {
		return curl(t, append([]string{"-X", "MKCOL", s.url(path)}, args...)...)
	}
	for path, location := range map[string]string{"/files/a": "/files/a/", "/files/b/c/d%20e/": "/files/b/c/d%20e/"} {
		a := make(path).want(t, 201)
		if got := a.header.Get("Location"); got != location || len(a.body) > 0 {
			t.Errorf("%s: Location %q, content %q", path, got, a.body)
		}
		if info, err := os.Stat(s.file(strings.ReplaceAll(strings.TrimPrefix(path, "/files/"), "%20", " "))); err != nil || !info.IsDir() {
			t.Errorf("%s is no folder on the disk: %v", path, err)
		}
		a = make(path)
		a.wantProblem(t, 405)
		if got := a.header.Get("Allow"); got != "GET, HEAD, POST, DELETE, OPTIONS, MOVE" {
			t.Errorf("%s: Allow %q", path, got)
		}
	}
	make("/files/").wantProblem(t, 405)
	make("/files/file").wantProblem(t, 405)
	make("/files/file/below").wantProblem(t, 409)
	make("/files/new", "-d", "x").wantProblem(t, 415)
	for _, path := range []string{"/files/..%2f..%2fetc", "/files/.sluice/x", "/files/a%00", "/files//x"} {
		make(path).wantProblem(t, 400)
	}
	if got := s.stored(); !slices.Equal(got, []string{"a", "b", "file"}) {
		t.Errorf("the disk holds %q", got)
	}
}

func (s *server) move(from, to string, fields ...string) answer {
	s.t.Helper()
	args := []string{"-X", "MOVE", "-H", "Destination: " + to}
	for _, field := range fields {
		args = append(args, "-H", field)
	}
	return curl(s.t, append(args, s.url(from))...)
}

func TestMove(t *testing.T) {
	t.Parallel()
	s := start(t, "--base-path", "/up")
	for _, name := range []string{"a", "b", "d/e/f", "d/g"} {
		curlWith(t, strings.NewReader(name), "-T", "-", s.url("/up/files/"+name)).want(t, 201)
	}
	for _, m := range []struct {
		from, to string
		fields   []string
		status   int
	}{
		{"a", "/up/files/b", []string{"Overwrite: F"}, 412},
		{"a", "/up/files/d", []string{"Overwrite: F"}, 412},
		{"a", "/up/files/d", nil, 409},
		{"d", "/up/files/a", nil, 409},
		{"a", "/up/files/b/c", nil, 409},
		{"none", "/up/files/x", nil, 404},
		{"a", "/up/files/a", nil, 403},
		{"d", "/up/files/d/below", nil, 403},
		{"", "/up/files/x", nil, 403},
		{"a", "/files/x", nil, 502},
		{"a", "http://evil.example/up/files/x", nil, 502},
		{"a", "/up/files/../x", nil, 400},
		{"a", "/up/files/%2e%2e/x", nil, 400},
		{"a", "/up/files/.sluice/uploads/x", nil, 400},
		{"a", "x", nil, 400},
		{"a", "/up/files/x", []string{"Overwrite: t"}, 400},
		{"a", "/up/files/x", []string{"Destination: /up/files/y"}, 400},
		{"d", "/up/files/x", []string{"Depth: 0"}, 400},
		{"a", "/up/files/x", []string{"Origin: https://evil.example"}, 403},
		{"a", "/up/files/b", nil, 204},
		{"b", "http://" + s.addr + "/up/files/c%20d/e", []string{"Overwrite: F"}, 201},
		{"d/", "/up/files/new/d", []string{"Depth: infinity"}, 201},
	} {
		a := s.move("/up/files/"+m.from, m.to, m.fields...)
		if a.status != m.status {
			t.Errorf("%s to %s %q: %d %s, want %d", m.from, m.to, m.fields, a.status, a.body, m.status)
		}
	}
	if got := s.stored(); !slices.Equal(got, []string{"c d", "new"}) {
		t.Errorf("the disk holds %q", got)
	}
	for name, content := range map[string]string{"c d/e": "a", "new/d/e/f": "d/e/f", "new/d/g": "d/g"} {
		if got := string(read(t, s.file(name))); got != content {
			t.Errorf("%s holds %q, want %q", name, got, content)
		}
	}
	curl(t, "-X", "MOVE", s.url("/up/files/new")).wantProblem(t, 400)
}

// A server that keeps files keeps them from moves too, and one that counts bytes
// counts those that a move has replaced no more.
func TestMoveReplaces(t *testing.T) {
	t.Parallel()
	keeps := start(t, "--on-conflict", "reject")
	keeps.put("a", "a")
	keeps.put("b", "b")
	keeps.move("/files/a", "/files/b").wantProblem(t, 409)
	keeps.move("/files/a", "/files/c").want(t, 201)

	counts := start(t, "--quota", "10")
	counts.put("a", "12345")
	counts.put("b", "12345")
	counts.move("/files/a", "/files/b").want(t, 204)
	counts.put("c", "12345")
}

// Of many who move to one name, without leave to replace, one succeeds, and no
// file is lost.
func TestMoveRace(t *testing.T) {
	t.Parallel()
	s := start(t)
	const n = 20
	names := make([]string, n)
	for i := range names {
		names[i] = string(rune('a' + i))
		s.put(names[i], names[i])
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	statuses := map[int]int{}
	for _, name := range names {
		all.Go(func() {
			a := s.move("/files/"+name, "/files/one", "Overwrite: F")
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
		})
	}
	all.Wait()
	if statuses[201] != 1 || statuses[412] != n-1 || len(s.stored()) != n {
		t.Errorf("answers %v, and %d files are left of %d", statuses, len(s.stored()), n)
	}
}
