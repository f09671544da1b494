package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// theatre is a Chromium in which scenes are played (clients/pages.mjs), many at a
// time.
type theatre struct {
	mu     sync.Mutex
	orders io.Writer
	scenes map[int]chan told
	gone   chan struct{} // closed when nothing more comes
	pid    int           // of what the browser hangs on
}

// told is what a scene tells: that it asks for something, or how it has ended.
type told struct {
	ID         int
	Ask, Value string
	Done       bool
	Error      string
}

// pageShots is a variable of the environment: the folder for pictures of what the
// scenes show.
const pageShots = "PAGE_SHOTS"

// openTheatre starts the browser for as long as the test runs.
func openTheatre(t testing.TB) *theatre {
	t.Helper()
	if _, err := os.Stat(filepath.Join("..", "web", "dist", "manifest.json")); err != nil {
		t.Fatalf("%v: run make page", err)
	}
	chromium, err := tool("chromium")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"clients/pages.mjs", "--browser", chromium}
	if shots := os.Getenv(pageShots); shots != "" {
		args = append(args, "--shots", shots)
	}
	cmd := toolCommand(t, "node", args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &theatre{orders: in, scenes: make(map[int]chan told), gone: make(chan struct{}), pid: cmd.Process.Pid}
	go s.follow(out)
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		<-s.gone
		if err := cmd.Wait(); err != nil {
			t.Errorf("browser: %v", err)
		}
	})
	return s
}

func (s *theatre) follow(out io.Reader) {
	defer close(s.gone)
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 16*mib)
	for scanner.Scan() {
		var line told
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			fmt.Fprintf(os.Stderr, "browser: %s\n", scanner.Bytes())
			continue
		}
		s.mu.Lock()
		scene := s.scenes[line.ID]
		s.mu.Unlock()
		scene <- line
	}
}

// order sends a line.
func (s *theatre) order(t testing.TB, order map[string]any) {
	t.Helper()
	line, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.orders.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}

// props are what a scene is given to play with.
type props map[string]any

// cues are what is done when a scene asks for it, with what it tells.
type cues map[string]func(value string)

// play plays a scene on the page at url, to its end.
func (s *theatre) play(t testing.TB, scene, url string, args props, do cues) {
	t.Helper()
	tells := make(chan told, 8)
	s.mu.Lock()
	id := len(s.scenes) + 1
	s.scenes[id] = tells
	s.mu.Unlock()
	s.order(t, map[string]any{"id": id, "play": scene, "url": url, "args": args})
	for {
		select {
		case <-s.gone:
			t.Fatalf("%s: the browser has gone", scene)
		case line := <-tells:
			switch {
			case line.Done:
				return
			case line.Error != "":
				t.Fatalf("%s: %s", scene, line.Error)
			}
			act, ok := do[line.Ask]
			if !ok {
				t.Fatalf("%s asks for %q", scene, line.Ask)
			}
			act(line.Value)
			s.order(t, map[string]any{"id": id, "answer": "done"})
		}
	}
}
