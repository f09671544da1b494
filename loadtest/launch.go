package loadtest

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Launch says how to start a server.
type Launch struct {
	// Command is the program and its arguments, in which {value} stands for what
	// varies, {listen} for host and port to listen on, and {root} for an empty
	// folder.
	Command []string `json:"command"`
	// Folder is where {root} is made, and removed after the server has ended.
	Folder string `json:"folder"`
	// Output is where the server writes; nil means nowhere.
	Output io.Writer `json:"-"`
}

const (
	// launchTimeout bounds how long a server may take to listen, and to end.
	launchTimeout = 15 * time.Second
	launchPause   = 10 * time.Millisecond
)

// launched is a server that the tester has started.
type launched struct {
	address string
	root    string
	cmd     *exec.Cmd
	ended   chan struct{} // closed when it has
}

// url fills in where the server listens.
func (l *Launch) url(template, address string) string {
	return strings.ReplaceAll(template, "{listen}", address)
}

// Run starts the server for a value, has work done on it, told where it listens
// and which process it is, and stops it.
func (l *Launch) Run(ctx context.Context, value string, work func(address string, pid int) error) error {
	s, err := l.start(ctx, value)
	if err != nil {
		return err
	}
	defer s.stop()
	return work(s.address, s.pid())
}

// start starts the server and waits until it takes connections.
func (l *Launch) start(ctx context.Context, value string) (*launched, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp(l.Folder, "load-")
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("{value}", value, "{listen}", address, "{root}", root)
	var args []string
	for _, arg := range l.Command {
		args = append(args, fill.Replace(arg))
	}
	s := &launched{address: address, root: root, cmd: exec.Command(args[0], args[1:]...), ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = l.Output, l.Output
	if err := s.cmd.Start(); err != nil {
		_ = os.RemoveAll(root)
		return nil, fmt.Errorf("start server: %w", err)
	}
	go func() {
		_ = s.cmd.Wait() // how it ends is nobody's business here
		close(s.ended)
	}()
	if err := s.await(ctx); err != nil {
		s.stop()
		return nil, fmt.Errorf("start server: %s: %w", strings.Join(args, " "), err)
	}
	return s, nil
}

// await waits until the server takes connections.
func (s *launched) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, launchTimeout, fmt.Errorf("nobody listens after %v", launchTimeout))
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-s.ended:
			return fmt.Errorf("it has ended: %v", s.cmd.ProcessState)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(launchPause):
		}
	}
}

func (s *launched) pid() int { return s.cmd.Process.Pid }

// stop ends the server, by force if it takes its time, and removes its folder.
func (s *launched) stop() {
	if s.cmd.Process.Signal(os.Interrupt) != nil {
		_ = s.cmd.Process.Kill() // where there are no signals, or it has ended
	}
	select {
	case <-s.ended:
	case <-time.After(launchTimeout):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
	_ = os.RemoveAll(s.root)
}

// freeAddress returns one that nobody listens on.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
