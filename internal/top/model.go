package top

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Messages to the model, beside the terminal's own.
type (
	listMsg List
	// lostMsg tells why the stream has ended.
	lostMsg struct{ err error }
	// tickMsg comes once a second.
	tickMsg struct{}
	// stoppedMsg tells what came of asking for the end of a transfer.
	stoppedMsg struct {
		name string
		err  error
	}
)

// mode is what keys mean.
type mode int

const (
	browsing  mode = iota
	filtering      // they are the filter's
	asking         // yes or no
)

// history is how many seconds the sparkline remembers.
const history = 120

// model is the live view. It has no terminal: everything comes by Update.
type model struct {
	server string
	stop   func(ctx context.Context, id string) error

	list   List
	err    error // why nothing comes
	loaded bool
	rates  []float64 // of the last seconds

	width, height int
	mode          mode
	order         int
	filter        string
	selected      string // id
	first         int    // row at the top
	doomed        Transfer
	note          string
}

func newModel(server string, stop func(ctx context.Context, id string) error) model {
	return model{server: server, stop: stop, width: 80, height: 24}
}

func tick() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} })
}

// Init implements tea.Model.
func (m model) Init() tea.Cmd { return tick() }

// Update implements tea.Model.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case listMsg:
		m.list, m.loaded, m.err = List(msg), true, nil
	case lostMsg:
		m.err = msg.err
		m.list = List{}
	case tickMsg:
		up, down := m.list.rates()
		m.rates = append(m.rates[max(len(m.rates)-history+1, 0):], up+down)
		return m, tick()
	case stoppedMsg:
		m.note = "stopping " + msg.name
		if msg.err != nil {
			m.note = "not stopped: " + msg.err.Error()
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return m.follow(), nil
}

func (m model) press(key tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	if key.String() == "ctrl+c" {
		return m, tea.Quit
	}
	switch m.mode {
	case filtering:
		return m.edit(key), nil
	case asking:
		m.mode = browsing
		if key.String() != "y" {
			m.note = ""
			return m, nil
		}
		return m, m.end(m.doomed)
	}
	m.note = ""
	switch key.String() {
	case "q", "esc":
		return m, tea.Quit
	case "s":
		m.order = (m.order + 1) % len(orders)
	case "/":
		m.mode = filtering
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "x":
		if t, ok := m.current(); ok {
			m.mode, m.doomed = asking, t
		}
	}
	return m.follow(), nil
}

// edit takes a key for the filter.
func (m model) edit(key tea.KeyPressMsg) model {
	switch key.String() {
	case "enter":
		m.mode = browsing
	case "esc":
		m.mode, m.filter = browsing, ""
	case "backspace":
		if r := []rune(m.filter); len(r) > 0 {
			m.filter = string(r[:len(r)-1])
		}
	default:
		m.filter += key.Key().Text
	}
	return m.follow()
}

// end asks the server, which may take its time.
func (m model) end(t Transfer) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
		defer cancel()
		return stoppedMsg{t.Name, m.stop(ctx, t.ID)}
	}
}

const stopPatience = 10 * time.Second

func (m model) rows() []Transfer { return chosen(m.list, orders[m.order], m.filter) }

// current is the transfer that keys are about.
func (m model) current() (Transfer, bool) {
	rows := m.rows()
	i := m.place(rows)
	if i < 0 {
		return Transfer{}, false
	}
	return rows[i], true
}

// place is the row of the selected transfer, the first where it is gone, and -1
// where there is none.
func (m model) place(rows []Transfer) int {
	if i := slices.IndexFunc(rows, func(t Transfer) bool { return t.ID == m.selected }); i >= 0 {
		return i
	}
	return min(len(rows), 1) - 1
}

func (m *model) move(by int) {
	rows := m.rows()
	if i := m.place(rows); i >= 0 {
		m.selected = rows[min(max(i+by, 0), len(rows)-1)].ID
	}
}

// follow keeps the selected row within what is shown.
func (m model) follow() model {
	i := max(m.place(m.rows()), 0)
	room := m.room()
	m.first = max(min(m.first, i), i-room+1)
	return m
}

// frame is the lines around the rows: two above, the titles, and one below.
const frame = 4

func (m model) room() int { return max(m.height-frame, 1) }

// Styles. The terminal's own colours fit its background.
const (
	bold    = "\x1b[1m"
	dim     = "\x1b[2m"
	reverse = "\x1b[7m"
	red     = "\x1b[31m"
	plain   = "\x1b[0m"
)

// View implements tea.Model.
func (m model) View() tea.View {
	v := tea.NewView(m.content())
	v.AltScreen = true
	v.WindowTitle = "sluice top"
	return v
}

func (m model) content() string {
	rows := m.rows()
	lines := []string{m.head(), m.status(len(rows)), dim + row(nil, m.width) + plain}
	selected := m.place(rows)
	end := min(m.first+m.room(), len(rows))
	for i := min(m.first, end); i < end; i++ {
		line := row(&rows[i], m.width)
		if i == selected {
			line = reverse + line + plain
		}
		lines = append(lines, line)
	}
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	return strings.Join(append(lines, m.foot()), "\n")
}

func (m model) head() string {
	up, down := m.list.rates()
	text := fmt.Sprintf("%s  ↑ %.1f  ↓ %.1f MB/s  ", m.server, up/1e6, down/1e6)
	text = ansi.Truncate(text, m.width, "…")
	return bold + text + plain + sparks(m.rates, max(m.width-ansi.StringWidth(text), 0))
}

func (m model) status(shown int) string {
	running := len(m.list.Running) + m.list.More
	text := fmt.Sprintf("%d running", running)
	if shown != running {
		text += fmt.Sprintf(", %d shown", shown)
	}
	text += ", by " + orders[m.order].name
	if m.filter != "" || m.mode == filtering {
		text += ", filter: " + m.filter
	}
	if m.list.Draining {
		text += ", uploads are paused"
	}
	switch {
	case m.err != nil:
		return red + ansi.Truncate("no connection: "+m.err.Error(), m.width, "…") + plain
	case !m.loaded:
		text = "connecting"
	}
	return ansi.Truncate(text, m.width, "…")
}

func (m model) foot() string {
	text := "↑↓ select  s sort  / filter  x stop  q quit"
	switch {
	case m.mode == filtering:
		text = "type words that have to occur; enter keeps them, esc drops them"
	case m.mode == asking:
		return bold + ansi.Truncate(fmt.Sprintf("stop %s of %s? y/n", m.doomed.Name, m.doomed.Client), m.width, "…") + plain
	case m.note != "":
		text = m.note
	}
	return dim + ansi.Truncate(text, m.width, "…") + plain
}
