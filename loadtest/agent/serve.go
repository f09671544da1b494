package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"sluice/loadtest"
	"sluice/loadtest/record"
)

// workAfter is how long work may take to come: other agents are asked first.
const workAfter = time.Minute

// maxGuests bounds the connections that haven't shown yet that they know the
// secret, and those that find the agent at work.
const maxGuests = 16

// Listen returns a listener for [Serve]. One that others than this machine can
// reach needs a secret.
func Listen(address string, secret []byte) (net.Listener, error) {
	if err := CheckSecret(secret); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); len(secret) == 0 && (!ok || !tcp.IP.IsLoopback()) {
		return nil, errors.Join(fmt.Errorf("%s can be reached from elsewhere, which needs a secret", listener.Addr()), listener.Close())
	}
	return listener, nil
}

// Serve does the work that comes through listener, one load test at a time, until
// ctx is done. The work of one that is broken off, or whose giver is lost, leaves
// no files. tell is told what happens.
func Serve(ctx context.Context, listener net.Listener, secret []byte, tell func(string, ...any)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	context.AfterFunc(ctx, func() { _ = listener.Close() })
	var sessions sync.WaitGroup
	defer sessions.Wait()
	guests := make(chan struct{}, maxGuests)
	busy := make(chan struct{}, 1)
	for {
		conn, err := listener.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		select {
		case guests <- struct{}{}:
		default:
			_ = conn.Close()
			continue
		}
		sessions.Go(func() {
			defer func() { <-guests }()
			stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
			defer stop()
			defer conn.Close()
			s := &session{wire: newWire(conn), tell: tell, from: conn.RemoteAddr()}
			if err := s.serve(ctx, secret, busy); err != nil {
				tell("%s: %v", s.from, err)
			}
		})
	}
}

// session is one conversation of an agent.
type session struct {
	*wire
	tell func(string, ...any)
	from net.Addr
}

func (s *session) serve(ctx context.Context, secret []byte, busy chan struct{}) error {
	if err := s.handshake(secret, agentsEnd, givesWork); err != nil {
		return err
	}
	select {
	case busy <- struct{}{}:
		defer func() { <-busy }()
	default:
		return errors.Join(errors.New("came while another load test is at work"), s.send(message{Refused: "another load test is at work"}))
	}
	w, err := s.awaitWork()
	if err != nil {
		return err
	}
	if reason := refuse(w.Plan); reason != "" {
		return errors.Join(errors.New("asked for what agents don't do: "+reason), s.send(message{Refused: reason}))
	}
	s.tell("%s: %s, %d repeats", s.from, w.Plan, w.Repeats)
	err = s.work(ctx, w)
	s.tell("%s: done", s.from)
	return err
}

// awaitWork tells the time as often as it is asked for, until work comes.
func (s *session) awaitWork() (*work, error) {
	for {
		m, err := s.receive(workAfter)
		if err != nil {
			return nil, err
		}
		switch {
		case m.Work != nil:
			return m.Work, nil
		case m.Clock != nil:
			if err := s.send(message{Clock: &clock{Agent: time.Now().UnixNano()}}); err != nil {
				return nil, err
			}
		default:
			return nil, errors.New("neither work nor a question for the time")
		}
	}
}

// refuse says what of a plan an agent doesn't do, for it would touch more of its
// machine than the network.
func refuse(plan loadtest.Plan) string {
	switch {
	case plan.ColdCommand != "" || plan.Cold:
		return "agents run no commands and drop no caches"
	case plan.SyncFolder != "":
		return "agents sync no folders"
	case len(plan.PIDs) > 0:
		return "agents read no processes"
	}
	return ""
}

// work does the work, sends its rows, and says that it is alive.
func (s *session) work(ctx context.Context, w *work) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	starts := make(chan time.Time)
	var helpers sync.WaitGroup
	helpers.Go(func() { cancel(s.listen(ctx, starts)) })
	helpers.Go(func() { s.stayAlive(ctx) })
	w.Plan.Gate = func(ctx context.Context) {
		if s.send(message{Ready: true}) == nil {
			s.awaitStart(ctx, starts)
		}
	}
	err := loadtest.Measure(ctx, w.Plan, w.Repeats, rowSink{s.wire}, nil)
	over := done{}
	if err != nil {
		over.Error = err.Error()
	}
	sendErr := s.send(message{Done: &over})
	cancel(nil)
	_ = s.conn.Close() // wakes the listener
	helpers.Wait()
	return errors.Join(err, sendErr)
}

// listen passes on when repeats start, until the other side is gone.
func (s *session) listen(ctx context.Context, starts chan<- time.Time) error {
	for {
		m, err := s.receive(0)
		if err != nil {
			return fmt.Errorf("whoever gave the work: %w", err)
		}
		if m.Start == nil {
			return errors.New("whoever gave the work has broken it off")
		}
		select {
		case starts <- time.Unix(0, *m.Start):
		case <-ctx.Done():
			return nil
		}
	}
}

// awaitStart returns when the repeat starts, or ctx is done.
func (s *session) awaitStart(ctx context.Context, starts <-chan time.Time) {
	select {
	case at := <-starts:
		select {
		case <-time.After(time.Until(at)):
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
}

func (s *session) stayAlive(ctx context.Context) {
	ticker := time.NewTicker(aliveEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			// Where it fails, so does what else is sent.
			_ = s.send(message{Alive: true})
		}
	}
}

// rowSink sends rows to whoever gave the work.
type rowSink struct{ *wire }

// Write sends the row.
func (s rowSink) Write(row record.Row) error {
	line, err := record.Marshal(row)
	if err != nil {
		return err
	}
	return s.queue(message{Row: line})
}
