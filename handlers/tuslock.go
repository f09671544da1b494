package handlers

import (
	"context"
	"errors"

	"github.com/tus/tusd/v2/pkg/handler"
	"github.com/tus/tusd/v2/pkg/memorylocker"
)

// errLocked: the request before this one did not let go of the upload in time.
// To clients that resume, 423 alone says that the upload is still there.
var errLocked = errors.New("upload is locked")

// tusLocker lets one request at a time work on an upload. The one that comes
// stops the one that is there, for that may read from a connection that died.
type tusLocker struct {
	memory *memorylocker.MemoryLocker
	onWait func()
}

func newTusLocker(onWait func()) tusLocker { return tusLocker{memorylocker.New(), onWait} }

// NewLock implements handler.Locker.
func (l tusLocker) NewLock(id string) (handler.Lock, error) {
	lock, err := l.memory.NewLock(id)
	return tusLock{lock, l.onWait}, err
}

type tusLock struct {
	memory handler.Lock
	onWait func()
}

// Unlock implements handler.Lock.
func (l tusLock) Unlock() error { return l.memory.Unlock() }

// Lock implements handler.Lock. Tusd's own way of stopping a request (release) is
// lost where it doesn't read its body yet, and a race where it is about to; it is
// replaced by closing the body.
func (l tusLock) Lock(ctx context.Context, _ func()) error {
	call := tusCallOf(ctx)
	err := l.memory.Lock(ctx, func() {
		l.onWait()
		call.stop()
	})
	if errors.Is(err, handler.ErrLockTimeout) {
		return toTus(ctx, errLocked)
	}
	return err
}

// stop ends the call's body, if it has one.
func (call *tusCall) stop() {
	if call != nil && call.src.declared != 0 {
		_ = call.src.Close() // where the connection is gone, so is the body
	}
}
