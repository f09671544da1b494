package doctor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// steps is in how many pieces a slow upload comes.
const steps = 20

// timeouts keeps an upload silent, another one slow, and a download unread, all
// at once and for as long as the visitor waits.
func timeouts(ctx context.Context, v *visitor, f *findings) {
	if v.Wait <= 0 {
		return
	}
	var silent, slow, unread error
	var group sync.WaitGroup
	group.Go(func() { silent = v.silentUpload(ctx) })
	group.Go(func() { slow = v.slowUpload(ctx) })
	group.Go(func() { unread = v.unreadDownload(ctx) })
	group.Wait()
	switch {
	case slow != nil:
		f.problem(remedyDuration, "an upload that takes %s is cut off, though it moves: %v", v.Wait, slow)
	case silent != nil:
		f.problem(remedySilence, "an upload that is silent for %s is cut off: %v", v.Wait, silent)
	}
	if unread != nil {
		f.problem(remedySilence, "a download whose client reads nothing for %s is cut off: %v", v.Wait, unread)
	}
	if len(f.list) == 0 {
		f.ok("transfers may be silent, or last, for %s", v.Wait)
	}
}

// silentUpload sends a byte, and another one when it has waited.
func (v *visitor) silentUpload(ctx context.Context) error {
	release := make(chan struct{})
	timer := time.AfterFunc(v.Wait, func() { close(release) })
	defer timer.Stop()
	return v.patient(ctx, "-silent", 2, func(ctx context.Context) io.Reader {
		return &held{ctx: ctx, first: bytes.NewReader([]byte("a")), release: release, rest: strings.NewReader("b")}
	})
}

// slowUpload sends a byte from time to time.
func (v *visitor) slowUpload(ctx context.Context) error {
	return v.patient(ctx, "-slow", steps, func(ctx context.Context) io.Reader {
		return io.LimitReader(&dripping{ctx: ctx, piece: 1, every: v.Wait / steps}, steps)
	})
}

// patient uploads what takes its time. Silence that the server itself ends is
// within its rights.
func (v *visitor) patient(ctx context.Context, name string, length int64, body func(context.Context) io.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, v.Wait+patience)
	defer cancel()
	began := time.Now()
	a, err := v.do(ctx, v.http1, request{method: http.MethodPut, url: v.file(name), body: body(ctx), length: length})
	switch {
	case err != nil:
		return fmt.Errorf("%w after %s", err, time.Since(began).Round(time.Second/10))
	case a.success(), a.problem != "":
		return nil
	}
	return fmt.Errorf("%v after %s", a, time.Since(began).Round(time.Second/10))
}

// unreadDownload asks for more than buffers on the way hold, and reads it only
// when it has waited.
func (v *visitor) unreadDownload(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, v.Wait+2*patience)
	defer cancel()
	counted := &unread{wait: v.Wait}
	a, err := v.do(ctx, v.http1, request{method: http.MethodGet, url: v.file(largeName), into: counted})
	if err == nil && a.refused(http.StatusNotFound) {
		return nil // that it couldn't be stored is another check's
	}
	if err == nil && a.success() && counted.n == v.Size {
		return nil
	}
	return fmt.Errorf("%v after %d of %d bytes", because(a, err), counted.n, v.Size)
}

// unread takes nothing before it has waited.
type unread struct {
	wait time.Duration
	n    int64
}

func (u *unread) Write(p []byte) (int, error) {
	if u.n == 0 {
		time.Sleep(u.wait)
	}
	u.n += int64(len(p))
	return len(p), nil
}
