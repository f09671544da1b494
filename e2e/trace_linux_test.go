package e2e_test

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// tracedCalls are the system calls that a trace has to hold.
const tracedCalls = "read,pwrite64,accept4,close"

// straceCommand runs a program so that its trace is written to path. The
// program is this process' child, not strace's, so that signals reach it.
func straceCommand(strace, path, program string) []string {
	return []string{strace, "-D", "-f", "-qq", "-e", "signal=none",
		"-e", "trace=" + tracedCalls, "-e", "raw=" + tracedCalls, "-o", path, program}
}

// largeRead is what a read has to ask for to count as a large one, in bytes.
const largeRead = 64 * kib

// journey is what a trace tells of the way of bytes from sockets to files.
type journey struct {
	read     int64 // bytes read from sockets
	large    int64 // of them by reads that asked for largeRead or more
	written  int64 // bytes written to files
	straight int64 // of them out of the memory that a socket was read into
}

func (j journey) String() string {
	return fmt.Sprintf("%d bytes read, %d of them by large reads; %d bytes written, %d of them from where they were read to",
		j.read, j.large, j.written, j.straight)
}

// span is a piece of the traced program's memory.
type span struct{ from, to uint64 }

// tracer follows a trace line by line.
type tracer struct {
	journey
	sockets map[uint64]bool
	// fresh is memory that a socket was read into and that has not been
	// written to a file yet.
	fresh []span
	// open are the calls of threads that have not returned.
	open map[string]call
}

// call is a system call. Its arguments are as the kernel got them.
type call struct {
	name string
	args []uint64
}

var (
	wholeCall   = regexp.MustCompile(`^(\d+) +(\w+)\(([^)]*)\) += (-?\w+)`)
	callEntry   = regexp.MustCompile(`^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$`)
	callReturns = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>.*\) += (-?\w+)`)
)

// analyze reads what strace has written.
func analyze(trace io.Reader) (journey, error) {
	t := tracer{sockets: make(map[uint64]bool), open: make(map[string]call)}
	scanner := bufio.NewScanner(trace)
	for scanner.Scan() {
		if err := t.line(scanner.Text()); err != nil {
			return journey{}, fmt.Errorf("trace line %q: %w", scanner.Text(), err)
		}
	}
	return t.journey, scanner.Err()
}

func (t *tracer) line(text string) error {
	if m := wholeCall.FindStringSubmatch(text); m != nil {
		if err := t.enter(m[1], m[2], m[3]); err != nil {
			return err
		}
		return t.leave(m[1], m[4])
	}
	if m := callEntry.FindStringSubmatch(text); m != nil {
		return t.enter(m[1], m[2], m[3])
	}
	if m := callReturns.FindStringSubmatch(text); m != nil {
		return t.leave(m[1], m[2])
	}
	return nil // a thread's end
}

// enter notes a call at its beginning. What a write takes must have been read
// by then.
func (t *tracer) enter(thread, name, args string) error {
	c := call{name: name}
	for arg := range strings.SplitSeq(args, ", ") {
		n, err := strconv.ParseUint(strings.TrimSuffix(arg, ","), 0, 64)
		if err != nil {
			return err
		}
		c.args = append(c.args, n)
	}
	t.open[thread] = c
	switch name {
	case "pwrite64":
		t.straight += t.take(span{c.args[1], c.args[1] + c.args[2]})
	case "close":
		delete(t.sockets, c.args[0])
	}
	return nil
}

// leave notes a call's result.
func (t *tracer) leave(thread, result string) error {
	c := t.open[thread]
	delete(t.open, thread)
	n, err := strconv.ParseInt(result, 0, 64)
	if err != nil {
		return err
	}
	if n < 0 {
		return nil
	}
	switch {
	case c.name == "accept4":
		t.sockets[uint64(n)] = true
	case c.name == "pwrite64":
		t.written += n
	case c.name == "read" && t.sockets[c.args[0]]:
		t.received(span{c.args[1], c.args[1] + uint64(n)}, c.args[2])
	}
	return nil
}

// received notes bytes from a socket. They replace older ones that nobody has
// written.
func (t *tracer) received(s span, asked uint64) {
	n := int64(s.to - s.from)
	t.read += n
	if asked >= largeRead {
		t.large += n
	}
	t.take(s)
	t.fresh = append(t.fresh, s)
}

// take removes s from the fresh memory and returns how many bytes of it were.
func (t *tracer) take(s span) int64 {
	var taken uint64
	var left []span
	for _, f := range t.fresh {
		from, to := max(s.from, f.from), min(s.to, f.to)
		if from >= to {
			left = append(left, f)
			continue
		}
		taken += to - from
		if f.from < from {
			left = append(left, span{f.from, from})
		}
		if to < f.to {
			left = append(left, span{to, f.to})
		}
	}
	t.fresh = left
	return int64(taken)
}
