package top

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

func total(n int64) *int64 { return &n }

// busy is a list with every kind of row.
func busy() List {
	return List{Running: []Transfer{
		{ID: "1", Direction: "upload", Protocol: "put", Phase: "receiving", Name: "films/first.mkv", Client: "192.0.2.1", Bytes: 250, Total: total(1000), Rate: 5e6, Elapsed: 9},
		{ID: "2", Direction: "download", Protocol: "archive", Phase: "sending", Name: "folder", Client: "192.0.2.2", User: "alice", Bytes: 5e9, Rate: 200e6, Elapsed: 5},
		{ID: "3", Direction: "upload", Protocol: "tus", Phase: "receiving", Name: "日本語のとても長い名前のファイルです/" + strings.Repeat("x", 300) + ".bin", Client: "2001:db8::1", Bytes: 0, Total: total(1 << 40), Rate: 0},
	}}
}

// screen is a model and what it was asked to stop.
type screen struct {
	t *testing.T
	model
	stopped []string
}

func newScreen(t *testing.T, width, height int) *screen {
	s := &screen{t: t}
	s.model = newModel("127.0.0.1:9180", func(_ context.Context, id string) error {
		s.stopped = append(s.stopped, id)
		if id == "3" {
			return errors.New("404 Not Found")
		}
		return nil
	})
	s.send(tea.WindowSizeMsg{Width: width, Height: height})
	return s
}

func (s *screen) send(msg tea.Msg) tea.Cmd {
	s.t.Helper()
	next, cmd := s.model.Update(msg)
	s.model = next.(model)
	return cmd
}

// press sends keys, and what comes of them.
func (s *screen) press(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		if cmd := s.send(pressOf(key)); cmd != nil {
			if msg := cmd(); msg != nil {
				s.send(msg)
			}
		}
	}
}

func pressOf(key string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "backspace": tea.KeyBackspace}
	if code, special := codes[key]; special {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
}

func (s *screen) lines() []string { return strings.Split(ansi.Strip(s.View().Content), "\n") }

// names are those in the rows that are shown, and the selected one.
func (s *screen) names() (names []string, selected string) {
	for _, line := range strings.Split(s.View().Content, "\n")[3 : s.height-1] {
		text := strings.TrimSpace(ansi.Strip(line))
		if text == "" {
			continue
		}
		fields := strings.Fields(text)
		name := fields[len(fields)-1]
		names = append(names, name)
		if strings.HasPrefix(line, reverse) {
			selected = name
		}
	}
	return names, selected
}

func (s *screen) shows(texts ...string) {
	s.t.Helper()
	all := strings.Join(s.lines(), "\n")
	for _, text := range texts {
		if !strings.Contains(all, text) {
			s.t.Errorf("no %q in\n%s", text, all)
		}
	}
}

// However large the terminal is, every line fits, and there are as many as it has.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1, 2, 10, 20, 39, 40, 60, 79, 80, 100, 120, 200} {
		for _, height := range []int{1, 4, 5, 24} {
			t.Run(fmt.Sprintf("%dx%d", width, height), func(t *testing.T) {
				t.Parallel()
				s := newScreen(t, width, height)
				for _, msg := range []tea.Msg{nil, listMsg(busy()), tickMsg{}, tickMsg{}, pressOf("x"), pressOf("n"), pressOf("/"), lostMsg{errors.New(strings.Repeat("lost ", 100))}} {
					s.send(msg)
					lines := s.lines()
					for _, line := range lines {
						if w := ansi.StringWidth(line); w > width {
							t.Errorf("%d cells in %d: %q", w, width, line)
						}
					}
					if len(lines) > max(height, frame+1) {
						t.Errorf("%d lines in %d", len(lines), height)
					}
				}
			})
		}
	}
}

func TestView(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 160, 12)
	s.shows("connecting")
	s.send(listMsg(busy()))
	for range 3 {
		s.send(tickMsg{})
	}
	s.shows("127.0.0.1:9180  ↑ 5.0  ↓ 200.0 MB/s", "███", "3 running, by rate", "q quit",
		"↑ put          5.0 ███░░░░░░░░░  25%    1.0 kB       0s receiving  192.0.2.1", "films/first.mkv",
		"↓ archive    200.0 5.0 GB                    ?        - sending    192.0.2.2       alice", "日本語")
	s.send(listMsg(List{Draining: true, More: 7}))
	s.shows("7 running, 0 shown", "uploads are paused")
	s.send(lostMsg{errors.New("connection refused")})
	s.shows("no connection: connection refused", "↑ 0.0")
	s.send(listMsg(busy()))
	s.shows("3 running")

	narrow := newScreen(t, 50, 12)
	narrow.send(listMsg(busy()))
	narrow.shows("films/first.mkv", "5.0", "LEFT")
	for _, gone := range []string{"CLIENT", "PHASE", "PROTO", "PROGRESS"} {
		if strings.Contains(narrow.View().Content, gone) {
			t.Errorf("%s is still there in 50 cells", gone)
		}
	}
}

func TestSortAndFilter(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 120, 12)
	s.send(listMsg(busy()))
	orderOf := func() string {
		var ids []string
		for _, row := range s.rows() {
			ids = append(ids, row.ID)
		}
		return strings.Join(ids, "")
	}
	for _, want := range []string{"213", "123", "213", "123", "123", "213"} {
		if got := orderOf(); got != want {
			t.Errorf("by %s: %s, want %s", orders[s.order].name, got, want)
		}
		s.press("s")
	}
	s.order = 0
	s.press("/", "U", "p", "L", " ", "p", "u", "t", "q")
	s.shows("filter: UpL putq", "0 shown")
	s.press("backspace", "enter")
	if got := orderOf(); got != "1" {
		t.Errorf("filtered: %s, want 1", got)
	}
	s.press("/", "esc")
	if got := orderOf(); got != "213" {
		t.Errorf("without a filter: %s", got)
	}
}

func TestStopAsks(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 120, 12)
	s.press("x", "y") // there is nothing to stop
	s.send(listMsg(busy()))
	s.press("down", "x")
	s.shows("stop films/first.mkv of 192.0.2.1? y/n")
	s.press("n")
	s.press("x", "q") // no answer is no
	if len(s.stopped) > 0 {
		t.Fatalf("stopped %q without a yes", s.stopped)
	}
	s.press("x")
	// Others that come meanwhile don't take its place.
	s.send(listMsg(List{Running: append(busy().Running, Transfer{ID: "4", Rate: 1e9, Name: "newer"})}))
	s.press("y")
	if len(s.stopped) != 1 || s.stopped[0] != "1" {
		t.Errorf("stopped %q, want 1", s.stopped)
	}
	s.shows("stopping films/first.mkv")
	s.press("down", "down", "down", "x", "y")
	s.shows("not stopped: 404 Not Found")
}

// The selected row is always to be seen, and goes with its transfer.
func TestSelection(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 80, frame+3)
	var many List
	for i := range 10 {
		many.Running = append(many.Running, Transfer{ID: fmt.Sprint(i), Name: fmt.Sprint("n", i), Elapsed: float64(10 - i)})
	}
	s.order = 1
	s.send(listMsg(many))
	for range 5 {
		s.press("down")
	}
	if names, selected := s.names(); selected != "n5" || strings.Join(names, " ") != "n3 n4 n5" {
		t.Errorf("shown %q, selected %q", names, selected)
	}
	many.Running = many.Running[4:]
	s.send(listMsg(many))
	if names, selected := s.names(); selected != "n5" || len(names) == 0 {
		t.Errorf("shown %q, selected %q", names, selected)
	}
	s.send(listMsg(List{Running: many.Running[5:]}))
	if _, selected := s.names(); selected != "n9" {
		t.Errorf("selected %q, want the one that is left", selected)
	}
	s.press("up", "k", "j")
}

func TestQuit(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q", "esc"} {
		s := newScreen(t, 80, 24)
		cmd := s.send(pressOf(key))
		if cmd == nil || cmd() != tea.Quit() {
			t.Errorf("%s doesn't quit", key)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	list := busy()
	list.More = 2
	if err := WriteTable(&out, list); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 6 || strings.Join(strings.Fields(lines[1]), " ") != "1 upload put receiving 250 1000 5000000 9.0 0s 192.0.2.1 - films/first.mkv" {
		t.Errorf("table:\n%s", out.String())
	}
}

// What others have chosen can't move the cursor.
func TestPrintable(t *testing.T) {
	t.Parallel()
	list := List{Running: []Transfer{{Name: "a\x1b[2Jb\nc\u202e\u009b", Client: "\x00"}}}
	list.printable()
	if got := list.Running[0]; got.Name != "a�[2Jb�c��" || got.Client != "�" {
		t.Errorf("printable: %q %q", got.Name, got.Client)
	}
}
