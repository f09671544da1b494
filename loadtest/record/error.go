package record

// ErrorKind is the kind of a failed transfer.
type ErrorKind string

// The kinds of failure.
const (
	// KindConnect: no connection could be made.
	KindConnect ErrorKind = "connect"
	// KindRefused: the server answered with a 4xx or 5xx status.
	KindRefused ErrorKind = "refused"
	// KindShort: fewer bytes moved than were promised.
	KindShort ErrorKind = "short"
	// KindMismatch: the content, or the digest that the server states, is wrong.
	KindMismatch ErrorKind = "mismatch"
	// KindProtocol: the answer breaks HTTP or tus, or there is none.
	KindProtocol ErrorKind = "protocol"
	// KindSync: what the server has stored could not be made durable.
	KindSync ErrorKind = "sync"
	// KindTimeout: nothing moved for as long as the plan's timeout.
	KindTimeout ErrorKind = "timeout"
)

// Error is why a transfer failed.
type Error struct {
	Kind   ErrorKind `json:"kind"`
	Status int       `json:"status,omitzero"` // of the refusal
	Offset int64     `json:"offset,omitzero"` // of the first wrong byte of a content mismatch
	Detail string    `json:"detail"`
	Cause  error     `json:"-"` // nil if there is none beyond the kind
}

// Error returns the failure in one line.
func (e *Error) Error() string { return string(e.Kind) + ": " + e.Detail }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Leftover is the row of a file that could not be removed from the server.
type Leftover struct {
	Origin
	Error *Error `json:"error"`
}

// Kind returns "leftover".
func (*Leftover) Kind() string { return "leftover" }
