package loadtest

import (
	"errors"
	"fmt"
	"net/http"
	"os"
)

// Errors that [Run.Err] and [Comparison.Err] wrap, so that a caller can map
// them to an exit code.
var (
	// ErrFailed says that at least one transfer or removal went wrong.
	ErrFailed = errors.New("load failed")
	// ErrNothing says that no transfer was completed at all.
	ErrNothing = fmt.Errorf("%w: nothing was transferred", ErrFailed)
)

// Kind is the kind of a failed transfer.
type Kind string

// The kinds of failure.
const (
	// KindConnect: no connection could be made.
	KindConnect Kind = "connect"
	// KindRefused: the server answered with a 4xx or 5xx status.
	KindRefused Kind = "refused"
	// KindShort: fewer bytes moved than were promised.
	KindShort Kind = "short"
	// KindMismatch: the content, or the digest that the server states, is wrong.
	KindMismatch Kind = "mismatch"
	// KindProtocol: the answer breaks HTTP or tus, or there is none.
	KindProtocol Kind = "protocol"
	// KindSync: what the server has stored could not be made durable.
	KindSync Kind = "sync"
	// KindTimeout: nothing moved for as long as the plan's timeout.
	KindTimeout Kind = "timeout"
)

// Error is a failed transfer.
type Error struct {
	Kind   Kind   `json:"kind"`
	Status int    `json:"status,omitzero"` // of the refusal
	Offset int64  `json:"offset,omitzero"` // of the first wrong byte of a content mismatch
	Detail string `json:"detail"`
	err    error
}

// Error returns the failure in one line.
func (e *Error) Error() string {
	return string(e.Kind) + ": " + e.Detail
}

// Unwrap returns the cause, nil if there is none beyond the kind.
func (e *Error) Unwrap() error { return e.err }

// failure returns an [Error] of kind. The text of cause, which may be nil,
// stands at the end of its detail.
func failure(kind Kind, cause error, format string, args ...any) *Error {
	detail := fmt.Sprintf(format, args...)
	if cause != nil {
		detail += ": " + cause.Error()
	}
	return &Error{Kind: kind, Detail: detail, err: cause}
}

// unexpected returns the failure that an answer other than the hoped-for one
// is: a refusal for 4xx and 5xx, a breach of protocol for the rest.
func unexpected(a *answer, doing string) *Error {
	status := fmt.Sprintf("%d %s", a.status, http.StatusText(a.status))
	if a.status < 400 {
		return failure(KindProtocol, nil, "%s: unexpected answer %s", doing, status)
	}
	if problem := a.problem(); problem != "" {
		status += ": " + problem
	}
	refused := failure(KindRefused, nil, "%s: %s", doing, status)
	refused.Status = a.status
	return refused
}

// asError returns err as the [Error] that it is or wraps; a stranger counts as
// a breach of protocol.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return failure(KindProtocol, err, "transfer")
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
