package handlers

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// A request that came before stops even where it hasn't begun to read its body.
func TestTusLockStopsEarly(t *testing.T) {
	t.Parallel()
	serveBody(t, time.Hour, func(c net.Conn) {
		io.WriteString(c, "PATCH / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n01234")
	}, func(b *body) {
		waits := 0
		locker := newTusLocker(func() { waits++ })
		first, _ := locker.NewLock("id")
		second, _ := locker.NewLock("id")
		ctx := context.WithValue(t.Context(), tusCallKey{}, &tusCall{src: b})
		if err := first.Lock(ctx, func() {}); err != nil {
			t.Fatal(err)
		}
		locked := make(chan error)
		go func() { locked <- second.Lock(context.Background(), func() {}) }()
		for b.pulled() == nil {
			time.Sleep(time.Millisecond)
		}
		if _, err := io.ReadAll(b); !errors.Is(err, errStopped) || !errors.Is(b.err, errStopped) {
			t.Errorf("the body ends with %v and remembers %v", err, b.err)
		}
		first.Unlock()
		if err := <-locked; err != nil || waits != 1 {
			t.Errorf("%v after %d waits, want 1", err, waits)
		}
	})
}

// Who waits too long is told that the upload is locked.
func TestTusLockTimeout(t *testing.T) {
	t.Parallel()
	locker := newTusLocker(func() {})
	first, _ := locker.NewLock("id")
	second, _ := locker.NewLock("id")
	if err := first.Lock(t.Context(), func() {}); err != nil {
		t.Fatal(err)
	}
	call := &tusCall{}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), tusCallKey{}, call))
	cancel()
	if err := second.Lock(ctx, func() {}); err == nil || !errors.Is(call.err, errLocked) || problemOf(call.err).Status != 423 {
		t.Errorf("lock: %v, the call remembers %v", err, call.err)
	}
}
