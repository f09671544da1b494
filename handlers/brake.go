package handlers

import (
	"errors"
	"sync"
	"time"
)

// errHalted: an operator has ended the transfer.
var errHalted = errors.New("transfer ended by an operator")

// brake lets others end what a request does with its socket.
type brake struct {
	// deadline sets that of the socket's direction.
	deadline func(time.Time) error

	mu    sync.Mutex
	cause error // nil until it is pulled
	over  bool  // the request has ended
}

// arm gives what comes next until then. It fails once the brake has been pulled.
func (b *brake) arm(until time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cause != nil {
		return b.cause
	}
	return b.deadline(until)
}

// pull ends what runs on the socket and all that follows, for the cause. Whoever
// does so may be late with it.
func (b *brake) pull(cause error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over || b.cause != nil {
		return nil
	}
	b.cause = cause
	return b.deadline(time.Unix(1, 0))
}

// halt is pull for an operator.
func (b *brake) halt() { _ = b.pull(errHalted) } // where the socket is gone, so is the transfer

// pulled is why the brake was pulled; nil is not yet.
func (b *brake) pulled() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cause
}

// end lets go of the request: fasthttp gives its context to the next one, on
// whatever connection.
func (b *brake) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
}
