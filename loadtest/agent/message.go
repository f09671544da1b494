package agent

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"sluice/loadtest"
)

// version is that of the conversation.
const version = 1

const (
	// aliveEvery is how often an agent says that it is there, and lostAfter how
	// long nothing comes from one that is lost. An agent takes as long a silence of
	// the other side's receiver.
	aliveEvery = time.Second
	lostAfter  = 10 * time.Second
	// maxMessage bounds a line.
	maxMessage = 4 << 20
)

// message is one line. One of its fields is set.
type message struct {
	Hello *hello          `json:"hello,omitempty"`
	Proof *proof          `json:"proof,omitempty"`
	Clock *clock          `json:"clock,omitempty"`
	Work  *work           `json:"work,omitempty"`
	Row   json.RawMessage `json:"row,omitempty"`
	// Ready says that an agent can start the next repeat, Start when it shall, in
	// nanoseconds of Unix time by its own clock.
	Ready bool   `json:"ready,omitempty"`
	Start *int64 `json:"start,omitempty"`
	Alive bool   `json:"alive,omitempty"`
	Done  *done  `json:"done,omitempty"`
	// Refused says why an agent takes no work.
	Refused string `json:"refused,omitempty"`
}

// hello is what an agent begins with, and what is answered.
type hello struct {
	Version int    `json:"version"`
	Nonce   []byte `json:"nonce"`
}

// proof shows that its sender knows the secret.
type proof struct {
	MAC []byte `json:"mac"`
}

// clock is sent with a time of the sender's, and comes back with the agent's.
type clock struct {
	Agent int64 `json:"agent,omitzero"`
}

// work is what an agent is to do.
type work struct {
	Plan    loadtest.Plan `json:"plan"`
	Repeats int           `json:"repeats"`
}

// done says that the work is over, and what ended it early.
type done struct {
	Error string `json:"error,omitempty"`
}

// wire is one end of a conversation. Any number of goroutines may send, and one
// may receive.
type wire struct {
	conn net.Conn
	in   *bufio.Scanner

	mu  sync.Mutex
	out *bufio.Writer
}

func newWire(conn net.Conn) *wire {
	in := bufio.NewScanner(conn)
	in.Buffer(make([]byte, 4<<10), maxMessage)
	return &wire{conn: conn, in: in, out: bufio.NewWriterSize(conn, 64<<10)}
}

// send sends m at once.
func (w *wire) send(m message) error { return w.write(m, true) }

// queue sends m with what comes next, so that a row costs no packet.
func (w *wire) queue(m message) error { return w.write(m, false) }

func (w *wire) write(m message, now bool) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.conn.SetWriteDeadline(time.Now().Add(lostAfter)); err != nil {
		return err
	}
	_, err = w.out.Write(append(line, '\n'))
	if err == nil && now {
		err = w.out.Flush()
	}
	return err
}

// receive returns the next message, which must come within timeout; 0 is as long
// as it takes.
func (w *wire) receive(timeout time.Duration) (message, error) {
	var m message
	deadline := time.Time{}
	if timeout > 0 {
		deadline = time.Now().Add(timeout)
	}
	if err := w.conn.SetReadDeadline(deadline); err != nil {
		return m, err
	}
	if !w.in.Scan() {
		if err := w.in.Err(); err != nil {
			return m, err
		}
		return m, errors.New("connection closed")
	}
	if err := json.Unmarshal(w.in.Bytes(), &m); err != nil {
		return m, fmt.Errorf("no message of a load test: %w", err)
	}
	return m, nil
}
