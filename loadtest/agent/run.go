package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"sluice/loadtest"
	"sluice/loadtest/record"
)

// Team is the agents that do the work of one load test. Each of them does all of
// the plan: two agents have twice as many streams.
type Team struct {
	Agents []string // addresses
	Secret []byte
	// Plan is the work. Its PIDs are of this machine, whose processes are read here.
	Plan    loadtest.Plan
	Repeats int
}

// startMargin is what is left for the start signal to be on its way.
const startMargin = 100 * time.Millisecond

// member is one of the agents.
type member struct {
	*wire
	name   string
	offset offset
	ready  bool
	over   bool // it is done, or lost
}

// event is what comes from a member: a message, or the end of all.
type event struct {
	*member
	message message
	err     error
}

// coordinator gives the work to the agents and merges their rows.
type coordinator struct {
	*Team
	sink    record.Sink
	members []*member
	events  chan event
	began   time.Time // when the header was written
	start   time.Time // of the repeat that is under way
	repeat  int       // its number, as far as rows have told
	usage   loadtest.ServerUsage
	faults  []error
}

// Run has the agents do the work and writes their rows to sink, each with its
// agent's name. An agent that can't be reached is an error before anything has
// begun. One that is lost later leaves a row that says so, and the others go on.
// Other errors are those of [loadtest.Measure].
func (t *Team) Run(ctx context.Context, sink record.Sink) error {
	if err := t.Plan.Validate(); err != nil {
		return err
	}
	plan := t.Plan
	plan.PIDs = nil
	if reason := refuse(plan); reason != "" {
		return errors.New(reason)
	}
	c := &coordinator{Team: t, sink: sink, events: make(chan event)}
	defer c.close()
	for _, address := range t.Agents {
		if err := c.join(ctx, address); err != nil {
			return fmt.Errorf("agent %s: %w", address, err)
		}
	}
	if err := c.begin(plan); err != nil {
		return err
	}
	readers, stopReaders := context.WithCancel(context.Background())
	defer stopReaders()
	for _, m := range c.members {
		go c.read(readers, m)
	}
	c.follow(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(c.faults...)
}

// join makes an agent a member.
func (c *coordinator) join(ctx context.Context, address string) error {
	dialer := net.Dialer{Timeout: lostAfter}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	m := &member{wire: newWire(conn), name: address}
	c.members = append(c.members, m)
	if err := m.handshake(c.Secret, givesWork, agentsEnd); err != nil {
		return err
	}
	m.offset, err = m.compareClocks()
	return err
}

// close ends all conversations, and with them what agents still do.
func (c *coordinator) close() {
	for _, m := range c.members {
		_ = m.conn.Close()
	}
}

// begin writes the header and gives out the work. Seeds differ, so that no two
// agents have the same files.
func (c *coordinator) begin(plan loadtest.Plan) error {
	header, err := record.NewHeader(fmt.Sprintf("%s, by each of %d agents", plan, len(c.members)), c.Plan, plan.Seed)
	if err != nil {
		return err
	}
	c.began = header.Started
	if err := c.sink.Write(header); err != nil {
		return err
	}
	for i, m := range c.members {
		share := plan
		share.Seed += uint64(i) << 32
		if err := m.send(message{Work: &work{Plan: share, Repeats: c.Repeats}}); err != nil {
			return fmt.Errorf("agent %s: %w", m.name, err)
		}
	}
	return nil
}

// read passes on what a member says, until it ends or nothing comes any more.
func (c *coordinator) read(ctx context.Context, m *member) {
	for {
		received, err := m.receive(lostAfter)
		select {
		case c.events <- event{m, received, err}:
		case <-ctx.Done():
			return
		}
		if err != nil || received.Done != nil || received.Refused != "" {
			return
		}
	}
}

// follow deals with what the members say until none has any more to do. When ctx is
// done they are told to break it off, and have as long to remove their files as
// one that is lost has to say something.
func (c *coordinator) follow(ctx context.Context) {
	broken := ctx.Done()
	var patience <-chan time.Time
	for slices.ContainsFunc(c.members, func(m *member) bool { return !m.over }) {
		select {
		case e := <-c.events:
			c.handle(e)
			c.startIfReady()
		case <-broken:
			broken, patience = nil, time.After(lostAfter)
			for _, m := range c.members {
				_ = m.send(message{Done: &done{}}) // an agent that is gone needs no telling
			}
		case <-patience:
			return
		}
	}
}

func (c *coordinator) handle(e event) {
	switch m := e.message; {
	case e.err != nil:
		e.over = true
		c.write(&record.Lost{Origin: record.Origin{Agent: e.name}, Repeat: c.repeat, Reason: e.err.Error()})
	case m.Row != nil:
		c.handleRow(e.member, m.Row)
	case m.Ready:
		e.ready = true
	case m.Refused != "":
		e.over = true
		c.fault(e.member, errors.New("refused: "+m.Refused))
	case m.Done != nil:
		e.over = true
		if m.Done.Error != "" {
			c.fault(e.member, errors.New(m.Done.Error))
		}
	}
}

func (c *coordinator) fault(m *member, err error) {
	c.faults = append(c.faults, fmt.Errorf("agent %s: %w", m.name, err))
}

func (c *coordinator) write(row record.Row) {
	if err := c.sink.Write(row); err != nil && len(c.faults) < 10 {
		c.faults = append(c.faults, err)
	}
}

// handleRow writes the row of a member under its name, with times of this side.
func (c *coordinator) handleRow(m *member, line []byte) {
	row, err := record.Unmarshal(line)
	if err == nil && row.Kind() == "end" {
		err = errors.New("rows of files alone don't belong here")
	}
	if err != nil {
		c.fault(m, err)
		return
	}
	row.Sign(m.name)
	switch row := row.(type) {
	case *record.Header:
		row.ClockAhead, row.ClockWithin = m.offset.ahead.Seconds(), m.offset.within.Seconds()
	case *record.Second:
		c.repeat = max(c.repeat, row.Repeat)
	case *record.Repeat:
		c.repeat = max(c.repeat, row.Repeat)
		row.Start = c.start.Sub(c.began).Seconds()
		c.addUsage(row)
	}
	c.write(row)
}

// addUsage adds to the row of a repeat what the server has used since the last one
// of this repeat that has told, so that their sum is what it used.
func (c *coordinator) addUsage(row *record.Repeat) {
	if len(c.Plan.PIDs) == 0 {
		return
	}
	now, err := loadtest.ReadServerUsage(c.Plan.PIDs)
	if err != nil {
		c.faults = append(c.faults, err)
		return
	}
	row.ServerCPUSeconds, row.ServerPeakRSS = now.CPUSeconds-c.usage.CPUSeconds, now.PeakRSS
	c.usage = now
}

// startIfReady starts the next repeat at one instant everywhere, if all that are
// left are ready for it.
func (c *coordinator) startIfReady() {
	margin := startMargin
	left := 0
	for _, m := range c.members {
		if m.over {
			continue
		}
		if !m.ready {
			return
		}
		left++
		margin = max(margin, startMargin+2*m.offset.within)
	}
	if left == 0 {
		return
	}
	c.start = time.Now().Add(margin)
	if len(c.Plan.PIDs) > 0 {
		usage, err := loadtest.ReadServerUsage(c.Plan.PIDs)
		if err != nil {
			c.faults = append(c.faults, err)
		}
		c.usage = usage
	}
	for _, m := range c.members {
		if !m.over {
			m.ready = false
			at := c.start.Add(m.offset.ahead).UnixNano()
			_ = m.send(message{Start: &at}) // where it fails, reading does
		}
	}
}
