package loadtest

import (
	"errors"
	"fmt"
	"net/http"
	"os"

	"sluice/loadtest/record"
)

// failure returns a [record.Error] of kind. The text of cause, which may be nil,
// stands at the end of its detail.
func failure(kind record.ErrorKind, cause error, format string, args ...any) *record.Error {
	detail := fmt.Sprintf(format, args...)
	if cause != nil {
		detail += ": " + cause.Error()
	}
	return &record.Error{Kind: kind, Detail: detail, Cause: cause}
}

// unexpected returns the failure that an answer other than the hoped-for one
// is: a refusal for 4xx and 5xx, a breach of protocol for the rest.
func unexpected(a *answer, doing string) *record.Error {
	status := fmt.Sprintf("%d %s", a.status, http.StatusText(a.status))
	if a.status < 400 {
		return failure(record.KindProtocol, nil, "%s: unexpected answer %s", doing, status)
	}
	if problem := a.problem(); problem != "" {
		status += ": " + problem
	}
	refused := failure(record.KindRefused, nil, "%s: %s", doing, status)
	refused.Status = a.status
	return refused
}

// asError returns err as the [record.Error] that it is or wraps; a stranger counts as
// a breach of protocol.
func asError(err error) *record.Error {
	var e *record.Error
	if errors.As(err, &e) {
		return e
	}
	return failure(record.KindProtocol, err, "transfer")
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
