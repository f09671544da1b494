package hooks

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode"
)

var (
	// ErrDenied: the receiver doesn't want the upload.
	ErrDenied = errors.New("upload denied by veto")
	// ErrUndecided: nobody has said whether the upload is wanted.
	ErrUndecided = errors.New("no answer to veto")
)

// maxReason is how much of a reason is passed on, in bytes.
const maxReason = 200

// DeniedError is an ErrDenied with what the receiver says about it.
type DeniedError struct {
	// Reason is for the client: one line of printable text. It may be empty.
	Reason string
}

func (e *DeniedError) Error() string { return fmt.Sprintf("%v: %q", ErrDenied, e.Reason) }

// Is makes every DeniedError an ErrDenied.
func (*DeniedError) Is(target error) bool { return target == ErrDenied }

// VetoOptions set up a [Veto]. All are required.
type VetoOptions struct {
	URL    string
	Secret Secret
	// Timeout bounds how long one upload waits, also for its turn.
	Timeout time.Duration
	// FailOpen lets uploads pass that nobody has decided about.
	FailOpen bool
	// Concurrent is how many are asked about at a time.
	Concurrent int
}

// Veto asks a receiver before an upload begins. Its methods may be called
// concurrently.
type Veto struct {
	opts     VetoOptions
	endpoint endpoint
	turns    chan struct{}
	tally    tally[Decision]
}

// NewVeto makes a veto.
func NewVeto(o VetoOptions) *Veto {
	return &Veto{
		opts:     o,
		endpoint: newEndpoint(o.URL, o.Secret, o.Timeout, o.Concurrent),
		turns:    make(chan struct{}, o.Concurrent),
	}
}

// Ask returns nil where the upload may begin: ErrDenied where the receiver says
// no (4xx), and ErrUndecided, unless it is to fail open, where it says neither
// yes (2xx) nor no in time. 408 and 429 say nothing about the upload.
func (v *Veto) Ask(ctx context.Context, u Upload) error {
	answer, err := v.ask(ctx, u)
	switch {
	case err == nil && answer.success():
		v.tally.add(Allowed)
		return nil
	case err == nil && answer.denies():
		v.tally.add(Denied)
		return &DeniedError{answer.reason()}
	case err == nil:
		err = fmt.Errorf("status %d", answer.status)
	}
	v.tally.add(Unanswered)
	if v.opts.FailOpen {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrUndecided, err)
}

func (v *Veto) ask(ctx context.Context, u Upload) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, v.opts.Timeout)
	defer cancel()
	select {
	case v.turns <- struct{}{}:
		defer func() { <-v.turns }()
	case <-ctx.Done():
		return answer{}, fmt.Errorf("wait for a turn: %w", ctx.Err())
	}
	e := newEvent(creating, u)
	data, err := e.encode()
	if err != nil {
		return answer{}, err
	}
	return v.endpoint.post(ctx, e.ID, data)
}

// Decisions returns how often each has been come to.
func (v *Veto) Decisions() map[Decision]int64 { return v.tally.copy() }

// Close gives the connections up.
func (v *Veto) Close() { v.endpoint.close() }

func (a answer) denies() bool {
	return a.status/100 == 4 && a.status != http.StatusRequestTimeout && a.status != http.StatusTooManyRequests
}

// reason is what the answer says in plain text, made fit for one line.
func (a answer) reason() string {
	if kind, _, err := mime.ParseMediaType(a.mediaType); err != nil || kind != "text/plain" {
		return ""
	}
	line := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(a.body), "?"))
	line = strings.Join(strings.Fields(line), " ")
	return strings.ToValidUTF8(line[:min(len(line), maxReason)], "")
}
